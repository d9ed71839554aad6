// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assumptions.cpp - the ledger: what the verdicts rest on, counted by code with the first places.

#include "escape/Assumptions.h"
#include "Reasons.h"
#include <map>
#include <set>

using namespace llvm;

namespace freehold {

/// So many places are listed under one code; the count goes on.
static constexpr size_t PlacesListed = 100;

namespace {
struct Entry {
  unsigned Count = 0;
  std::set<std::pair<std::string, unsigned>> Places; ///< file and line: sorted by line as a number
};
} // namespace

static SourceLoc placeOfMain(const Program &P) {
  auto It = P.SymbolByName.find("main");
  if (It == P.SymbolByName.end() || P.Definitions[It->second].empty())
    return {};
  return P.Functions[P.Definitions[It->second][0]].Loc;
}

std::vector<Assumption> collectAssumptions(const Program &P, const Solution &S, const Resolution &R, const Names &N) {
  std::map<ReasonCode, Entry> Ledger;
  auto Count = [&](ReasonCode Code, const SourceLoc &L) {
    if (Code / 100 != 9)
      return;
    Entry &E = Ledger[Code];
    ++E.Count;
    if (L.File != None && L.Line)
      E.Places.insert({N.file(L.File), L.Line});
  };
  for (const Note &Nt : P.Notes)
    Count(Nt.Code, Nt.Loc);
  for (const Note &Nt : S.Notes)
    Count(Nt.Code, Nt.Loc);
  // Without a linker nobody has said that the inputs are all there is.
  if (P.WholeProgram && !R.HasLinker && !Ledger.count(901))
    Count(901, placeOfMain(P));
  std::vector<Assumption> Out;
  for (const auto &[Code, E] : Ledger) {
    const ReasonInfo *Info = findReason(Code);
    Assumption A{reasonName(Code), Info ? Info->Meaning : "", E.Count, {}};
    for (const auto &[File, Line] : E.Places) {
      if (A.Where.size() == PlacesListed)
        break;
      A.Where.push_back(File + ":" + std::to_string(Line));
    }
    Out.push_back(std::move(A));
  }
  return Out;
}

} // namespace freehold
