// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Escape.cpp - verdicts by the rule `reachable`, and the report's entries.
//
// A site is judged by the abstract object of its call. Several calls may carry one id (copies of an inline function): they are
// one entry, and the worst of their verdicts holds, since the rewriter can tell them apart no more than the report does.

#include "escape/Escape.h"
#include "Reasons.h"
#include "escape/Assumptions.h"
#include "escape/Reach.h"
#include "escape/Witness.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Format.h"
#include <map>
#include <set>

using namespace llvm;

namespace freehold {
namespace {

/// The first active call after which another thread may continue this one's frames, or None. Which frames are suspended is not
/// tracked, and a value in a frame is in no memory that reachability sees: with such a call no site is local.
Index findStackSwitch(const Program &P, const Solution &S) {
  for (Index C = 0; C < P.Calls.size(); ++C)
    if (S.Active[P.Calls[C].Function])
      for (Index Symbol : S.ExternalCallees[C])
        if (is_contained({"swapcontext", "setcontext"}, StringRef(P.str(P.Symbols[Symbol].Name))))
          return C;
  return None;
}

class Judge {
public:
  Judge(const Program &P, const Solution &S, const Resolution &R, StringRef Base, Report &Out, const Models *M)
      : P(P), S(S), R(R), M(M), Out(Out), N(P, S, Base), Reached(computeReach(P, S)), StackSwitch(findStackSwitch(P, S)) {}
  void run();

private:
  const Program &P;
  const Solution &S;
  const Resolution &R;
  const Models *M;
  Report &Out;
  Names N;
  Reach Reached;
  Index StackSwitch;
  std::optional<WitnessFinder> Finder; ///< made for the first witness: its index of all uses is not free

  bool active(const Site &St) const { return S.Active[P.Calls[St.Call].Function]; }
  /// The allocation's model was applied: its block is an object of ours. Otherwise the program has its own allocator there.
  bool modelled(const Site &St) const { return S.HeapObject[St.Call] != None && !S.Objects[S.HeapObject[St.Call]].LibraryMade; }
  Verdict verdict(const Site &St) const;
  Reason reason(const Site &St, Verdict V);
  SiteReport entry(const Site &St, Verdict V);
};

} // namespace

Verdict Judge::verdict(const Site &St) const {
  if (!modelled(St))
    return Verdict::Unknown;
  switch (Reached.Of[S.HeapObject[St.Call]]) {
  case Grade::None:
    return StackSwitch == None ? Verdict::Local : Verdict::Unknown;
  case Grade::Weak:
    return Verdict::Unknown;
  case Grade::Strong:
    return Verdict::Shared;
  }
  return Verdict::Unknown;
}

Reason Judge::reason(const Site &St, Verdict V) {
  if (!modelled(St)) {
    const Call &C = P.Calls[St.Call];
    Reason Why{"FH205", findReason(205)->Meaning, {}};
    Why.Path.push_back(
        {N.file(C.Loc.File), C.Loc.Line, C.Loc.Column, "this call does not reach the C library's " + P.str(St.Callee)});
    return Why;
  }
  if (Reached.Of[S.HeapObject[St.Call]] == Grade::None) {
    const Call &C = P.Calls[StackSwitch];
    return {"FH206", findReason(206)->Meaning, {{N.file(C.Loc.File), C.Loc.Line, C.Loc.Column, "this call switches stacks"}}};
  }
  if (!Finder)
    Finder.emplace(P, S, Reached, N, M);
  Reason Why = Finder->find(St.Call);
  if (Why.Path.empty()) {
    const Call &C = P.Calls[St.Call];
    Why.Path.push_back({N.file(C.Loc.File), C.Loc.Line, C.Loc.Column, "the block is " + Why.Text});
  }
  return Why;
}

SiteReport Judge::entry(const Site &St, Verdict V) {
  const Call &C = P.Calls[St.Call];
  SiteReport E;
  raw_string_ostream(E.Id) << format_hex_no_prefix(St.Id, 16);
  E.File = N.file(C.Loc.File);
  E.Line = C.Loc.Line;
  E.Column = C.Loc.Column;
  E.Function = N.function(St.Function == None ? C.Function : St.Function);
  E.Callee = P.str(St.Callee);
  E.Size = St.Size;
  E.V = V;
  if (V == Verdict::Local)
    E.Rule = "unreachable";
  else
    E.Why = reason(St, V);
  return E;
}

void Judge::run() {
  // The representative of an id: the first active copy of the worst verdict (shared before unknown before local).
  auto Badness = [](Verdict V) { return V == Verdict::Shared ? 2 : V == Verdict::Unknown ? 1 : 0; };
  std::map<uint64_t, size_t> ById;
  std::vector<std::pair<Index, Verdict>> Chosen;
  for (Index I = 0; I < P.Sites.size(); ++I) {
    const Site &St = P.Sites[I];
    if (!active(St))
      continue;
    Verdict V = verdict(St);
    ++Out.SiteContexts[size_t(V)];
    auto [It, New] = ById.try_emplace(St.Id, Chosen.size());
    if (New)
      Chosen.push_back({I, V});
    else if (Badness(V) > Badness(Chosen[It->second].second))
      Chosen[It->second] = {I, V};
  }
  std::set<uint64_t> Idle;
  for (const Site &St : P.Sites)
    if (!active(St) && !ById.count(St.Id))
      Idle.insert(St.Id);
  Out.Unreachable = Idle.size();
  for (auto [I, V] : Chosen)
    Out.Sites.push_back(entry(P.Sites[I], V));
  llvm::sort(Out.Sites, [](const SiteReport &A, const SiteReport &B) {
    return std::tie(A.File, A.Line, A.Column, A.Function, A.Id) < std::tie(B.File, B.Line, B.Column, B.Function, B.Id);
  });
  std::set<Index> Defined;
  for (const Function &F : P.Functions)
    Defined.insert(F.Symbol);
  Out.Functions = Defined.size();
  Out.Frees = P.Frees;
  Out.Assumptions = collectAssumptions(P, S, R, N);
}

void judgeReachable(const Program &P, const Solution &S, const Resolution &R, StringRef Base, Report &Out, const Models *M) {
  Out.Version = FREEHOLD_VERSION;
  Out.LLVMVersion = LLVM_VERSION_STRING;
  Out.Escape = "reachable";
  Out.Base = Base.str();
  Judge(P, S, R, Base, Out, M).run();
}

} // namespace freehold
