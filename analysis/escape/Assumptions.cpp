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
  std::set<std::tuple<std::string, unsigned, unsigned>> Seen; ///< copies of a function (contexts, inline functions) count once
  std::set<std::pair<std::string, unsigned>> Places;          ///< file and line: sorted by line as a number
};
} // namespace

static SourceLoc placeOfMain(const Program &P) {
  auto It = P.SymbolByName.find("main");
  if (It == P.SymbolByName.end() || P.Definitions[It->second].empty())
    return {};
  return P.Functions[P.Definitions[It->second][0]].Loc;
}

namespace {

/// Counts what the constraints and calls of active code take for granted.
class Ledger {
public:
  Ledger(const Program &P, const Solution &S, const Names &N) : P(P), S(S), N(N) {}
  std::map<ReasonCode, Entry> Entries;

  void count(ReasonCode Code, const SourceLoc &L) {
    if (Code / 100 != 9)
      return;
    Entry &E = Entries[Code];
    bool Known = L.File != None && L.Line;
    if (Known && !E.Seen.insert({N.file(L.File), L.Line, L.Column}).second)
      return;
    ++E.Count;
    if (Known)
      E.Places.insert({N.file(L.File), L.Line});
  }
  void constraint(const Constraint &C) {
    bool Bounded = C.Disp.Stride != 0 && C.Disp.Length != 0;                               // C11 6.5.6p8
    bool Difference = C.Kind == ConstraintKind::Difference && shareAnObject(C.Dst, C.Src); // C11 6.5.6p9
    if (Bounded || Difference)
      count(902, C.Loc);
  }
  void call(Index C) {
    for (Index F : S.Callees[C])
      if (P.Functions[F].Varargs == None && P.Functions[F].Params.size() != P.Calls[C].Args.size())
        return count(903, P.Calls[C].Loc);
  }
  void function(Index F) {
    const Function &Fn = P.Functions[F];
    if (!S.Active[F])
      return;
    for (Index C = Fn.FirstConstraint; C < Fn.LastConstraint; ++C)
      constraint(P.Constraints[C]);
    for (Index C = Fn.FirstCall; C < Fn.LastCall; ++C)
      call(C);
    if (!P.WholeProgram && P.SymbolVisible[Fn.Symbol] && P.Symbols[Fn.Symbol].Link != Linkage::Internal)
      count(904, Fn.Loc);
  }

private:
  const Program &P;
  const Solution &S;
  const Names &N;

  bool shareAnObject(Index A, Index B) const {
    if (A == None || B == None)
      return false;
    if (S.isExternal(A) && S.isExternal(B))
      return true;
    ArrayRef<Target> X = S.pointsTo(A).known(), Y = S.pointsTo(B).known();
    for (size_t I = 0, J = 0; I < X.size() && J < Y.size();) {
      if (X[I].Object == Y[J].Object)
        return true;
      X[I].Object < Y[J].Object ? ++I : ++J;
    }
    return false;
  }
};

} // namespace

std::vector<Assumption> collectAssumptions(const Program &P, const Solution &S, const Resolution &R, const Names &N) {
  Ledger L(P, S, N);
  for (const Note &Nt : P.Notes)
    L.count(Nt.Code, Nt.Loc);
  for (const Note &Nt : S.Notes)
    L.count(Nt.Code, Nt.Loc);
  for (Index C : P.GlobalConstraints)
    L.constraint(P.Constraints[C]);
  for (Index F = 0; F < P.Functions.size(); ++F)
    L.function(F);
  // Without a linker nobody has said that the inputs are all there is.
  if (P.WholeProgram && !R.HasLinker && !L.Entries.count(901))
    L.count(901, placeOfMain(P));
  std::vector<Assumption> Out;
  for (const auto &[Code, E] : L.Entries) {
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
