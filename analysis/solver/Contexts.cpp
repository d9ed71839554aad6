// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts.cpp - finds wrappers and copies them.
#include "solver/Contexts.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;

namespace freehold {
namespace {

class Cloner {
public:
  Cloner(Program &P, const Solution &First, const ContextOptions &O) : P(P), First(First), O(O) {}
  unsigned run();

private:
  Program &P;
  const Solution &First;
  const ContextOptions &O;
  std::vector<bool> Wrapper;     ///< per original function
  std::vector<bool> GlobalValue; ///< values of constants: shared by all copies
  size_t Spent = 0;
  unsigned Made = 0;

  bool fresh(const Function &F, Index Value) const;
  bool handsOut(const Function &F) const;
  void findWrappers();
  void cloneCallees(Index Call, Index Original, SmallVectorImpl<Index> &Path);
  Index clone(Index F, SmallVectorImpl<Index> &Path);
};

/// A value of F that may hold memory that one of F's own calls has just made.
bool Cloner::fresh(const Function &F, Index Value) const {
  for (Index C = F.FirstCall; C < F.LastCall; ++C) {
    const Call &Site = P.Calls[C];
    bool Makes = First.HeapObject[C] != None || any_of(First.Callees[C], [&](Index G) { return Wrapper[G]; });
    if (!Makes || Site.Result == None)
      continue;
    for (const Target &T : First.Pointees[Site.Result])
      if (First.Objects[T.Object].K == AbstractObject::Heap &&
          any_of(First.Pointees[Value], [&](const Target &V) { return V.Object == T.Object; }))
        return true;
  }
  return false;
}

bool Cloner::handsOut(const Function &F) const {
  if (F.Result != None && fresh(F, F.Result))
    return true;
  // Values made of parameters, as far as one pass in program order shows.
  std::set<Index> OfParams(F.Params.begin(), F.Params.end());
  for (Index I = F.FirstConstraint; I < F.LastConstraint; ++I) {
    const Constraint &C = P.Constraints[I];
    bool Moves = C.Kind == ConstraintKind::Copy || C.Kind == ConstraintKind::Displace;
    if (Moves && OfParams.count(C.Src))
      OfParams.insert(C.Dst);
    if (C.Kind == ConstraintKind::Store && OfParams.count(C.Dst) && fresh(F, C.Src))
      return true;
  }
  return false;
}

void Cloner::findWrappers() {
  Wrapper.assign(P.Functions.size(), false);
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (Index F = 0; F < P.Functions.size(); ++F) {
      const Function &Fn = P.Functions[F];
      if (Wrapper[F] || !First.Active[F] || Fn.LastConstraint - Fn.FirstConstraint > O.MaxWrapperSize)
        continue;
      if (handsOut(Fn))
        Wrapper[F] = Changed = true;
    }
  }
}

Index Cloner::clone(Index Original, SmallVectorImpl<Index> &Path) {
  Function Copy = P.Functions[Original]; // by value: the vectors grow
  Index Self = P.Functions.size();
  DenseMap<Index, Index> Values, Objects;
  auto Value = [&](Index V) {
    if (V == None || (V < GlobalValue.size() && GlobalValue[V]))
      return V;
    auto [It, New] = Values.try_emplace(V, P.ValueNames.size());
    if (New)
      P.ValueNames.push_back(Index(P.ValueNames[V]));
    return It->second;
  };
  auto Object = [&](Index Id) {
    if (P.Objects[Id].Kind != ObjectKind::Stack)
      return Id;
    auto [It, New] = Objects.try_emplace(Id, P.Objects.size());
    if (New) {
      freehold::Object Slot = P.Objects[Id];
      Slot.Function = Self;
      P.Objects.push_back(Slot);
    }
    return It->second;
  };
  Index FirstConstraint = P.Constraints.size(), FirstCall = P.Calls.size();
  for (Index I = Copy.FirstConstraint; I < Copy.LastConstraint; ++I) {
    Constraint C = P.Constraints[I];
    C.Dst = Value(C.Dst);
    C.Src = C.Kind == ConstraintKind::AddressOf ? Object(C.Src) : Value(C.Src);
    P.Constraints.push_back(C);
  }
  for (Index I = Copy.FirstCall; I < Copy.LastCall; ++I) {
    Call C = P.Calls[I];
    C.Function = Self;
    C.Callee = Value(C.Callee);
    C.Result = Value(C.Result);
    for (CallArg &A : C.Args)
      A.Value = Value(A.Value);
    if (C.Site != None) { // the same site, seen once more
      Site S = P.Sites[C.Site];
      S.Call = P.Calls.size();
      C.Site = P.Sites.size();
      P.Sites.push_back(S);
    }
    P.Calls.push_back(std::move(C));
  }
  Index OriginalCall = Copy.FirstCall, Calls = Copy.LastCall - Copy.FirstCall;
  Copy.FirstConstraint = FirstConstraint;
  Copy.LastConstraint = P.Constraints.size();
  Copy.FirstCall = FirstCall;
  Copy.LastCall = P.Calls.size();
  Copy.Constructor = Copy.Destructor = false;
  Copy.Result = Value(Copy.Result);
  Copy.Varargs = Value(Copy.Varargs);
  for (Index &V : Copy.Params)
    V = Value(V);
  Spent += Copy.LastConstraint - FirstConstraint + Calls;
  P.Functions.push_back(std::move(Copy));
  ++Made;
  Path.push_back(Original);
  for (Index I = 0; I < Calls; ++I)
    cloneCallees(FirstCall + I, OriginalCall + I, Path);
  Path.pop_back();
  return Self;
}

/// Copies for a call; Original is the call of the first solution it stands for.
void Cloner::cloneCallees(Index Call, Index Original, SmallVectorImpl<Index> &Path) {
  if (Path.size() >= O.Depth)
    return;
  for (Index F : First.Callees[Original]) {
    if (!Wrapper[F] || is_contained(Path, F) || Spent > O.Budget)
      continue;
    Index Copy = clone(F, Path);
    P.Clones[{Call, F}] = Copy;
  }
}

unsigned Cloner::run() {
  GlobalValue.assign(P.ValueNames.size(), false);
  for (Index I : P.GlobalConstraints)
    if (P.Constraints[I].Dst != None)
      GlobalValue[P.Constraints[I].Dst] = true;
  findWrappers();
  SmallVector<Index, 4> Path;
  for (Index C = 0, E = P.Calls.size(); C < E; ++C)
    cloneCallees(C, C, Path);
  return Made;
}

} // namespace

unsigned addContexts(Program &P, const Solution &First, const ContextOptions &O) {
  return O.Depth == 0 ? 0 : Cloner(P, First, O).run();
}

Solution solveInContexts(Program &P, const Models &M, const SolverOptions &S, const ContextOptions &O) {
  Solution First = solve(P, M, S);
  if (!First.Finished)
    return First;
  size_t Functions = P.Functions.size(), Constraints = P.Constraints.size(), Calls = P.Calls.size(), Sites = P.Sites.size(),
         Objects = P.Objects.size(), Values = P.ValueNames.size();
  if (!addContexts(P, First, O))
    return First;
  Solution Second = solve(P, M, S);
  if (Second.Finished)
    return Second;
  P.Clones.clear(); // over the limit: the coarser answer holds
  P.Functions.resize(Functions), P.Constraints.resize(Constraints), P.Calls.resize(Calls), P.Sites.resize(Sites);
  P.Objects.resize(Objects), P.ValueNames.resize(Values);
  return First;
}

} // namespace freehold
