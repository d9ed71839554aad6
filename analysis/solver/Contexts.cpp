// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts.cpp - finds wrappers and copies them.
#include "solver/Contexts.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace freehold {
namespace {

class Cloner {
public:
  Cloner(Program &P, const Solution &First, const ContextOptions &O)
      : P(P), First(First), O(O), Budget(std::max<size_t>(O.Budget, O.Growth * P.Constraints.size())) {}
  unsigned run();

private:
  Program &P;
  const Solution &First;
  const ContextOptions &O;
  std::vector<bool> Wrapper;     ///< per original function
  std::vector<bool> GlobalValue; ///< values of constants: shared by all copies
  size_t Budget, Spent = 0;
  unsigned Made = 0;

  bool makes(Index Call) const;
  template <typename Do> void eachCallee(Index Call, Do Action) const;
  bool handsOut(Index F) const;
  void findWrappers();
  void cloneCallees(Index Call, Index Original, SmallVectorImpl<Index> &Path);
  Index clone(Index F, SmallVectorImpl<Index> &Path);
};

/// What values and stack slots of one function may be, as far as its own constraints show: memory that one of its calls has just
/// made, or something reached from a parameter. The first solution knows more where a block has not escaped, and less where it
/// has: just the blocks of a wrapper that is called from everywhere have.
class LocalFlow {
public:
  LocalFlow(const Program &P, const Function &F) : P(P), F(F) {
    for (Index V : F.Params)
      if (V != None)
        OfParams.insert(V);
  }
  void makeFresh(Index V) { Fresh.insert(V); }
  void close() {
    for (bool Changed = true; Changed;) {
      size_t Before = size();
      for (Index I = F.FirstConstraint; I < F.LastConstraint; ++I)
        apply(P.Constraints[I]);
      Changed = size() != Before;
    }
  }
  bool isFresh(Index V) const { return Fresh.count(V); }
  bool isOfParams(Index V) const { return OfParams.count(V); }

private:
  const Program &P;
  const Function &F;
  DenseSet<Index> Fresh, OfParams, FreshSlots, ParamSlots;
  DenseSet<std::pair<Index, Index>> Slots; ///< value, stack object it points to
  DenseMap<Index, SmallVector<Index, 1>> SlotsOf;

  size_t size() const { return Fresh.size() + OfParams.size() + FreshSlots.size() + ParamSlots.size() + Slots.size(); }
  void point(Index V, Index Slot) {
    if (Slots.insert({V, Slot}).second)
      SlotsOf[V].push_back(Slot);
  }
  void apply(const Constraint &C) {
    switch (C.Kind) {
    case ConstraintKind::AddressOf:
      if (C.Src < P.Objects.size() && P.Objects[C.Src].Kind == ObjectKind::Stack)
        point(C.Dst, C.Src);
      return;
    case ConstraintKind::Copy:
    case ConstraintKind::Displace:
      if (Fresh.count(C.Src))
        Fresh.insert(C.Dst);
      if (OfParams.count(C.Src))
        OfParams.insert(C.Dst);
      for (Index Slot : SmallVector<Index, 1>(SlotsOf.lookup(C.Src)))
        point(C.Dst, Slot);
      return;
    case ConstraintKind::Store:
      for (Index Slot : SlotsOf.lookup(C.Dst)) {
        if (Fresh.count(C.Src))
          FreshSlots.insert(Slot);
        if (OfParams.count(C.Src))
          ParamSlots.insert(Slot);
      }
      return;
    case ConstraintKind::Load:
      for (Index Slot : SlotsOf.lookup(C.Src)) {
        if (FreshSlots.count(Slot))
          Fresh.insert(C.Dst);
        if (ParamSlots.count(Slot))
          OfParams.insert(C.Dst);
      }
      return;
    default:
      return;
    }
  }
};

/// What the call may reach, and what it reached until the pointer became external: in its own context the pointer may be less than
/// that (zlib's allocator is called through a field of each stream).
template <typename Do> void Cloner::eachCallee(Index Call, Do Action) const {
  for (const std::vector<Index> &Callees : {First.Callees[Call], First.FormerCallees[Call]})
    for (Index F : Callees)
      Action(F);
}

/// The call may return a block that it has just made.
bool Cloner::makes(Index Call) const {
  if (P.Calls[Call].Result == None)
    return false;
  bool Makes = First.HeapObject[Call] != None;
  eachCallee(Call, [&](Index F) { Makes |= Wrapper[F]; });
  return Makes;
}

/// F returns memory that one of its own calls has made, or stores it through a parameter.
bool Cloner::handsOut(Index Id) const {
  const Function &F = P.Functions[Id];
  LocalFlow Flow(P, F);
  DenseSet<Index> Blocks;
  for (Index C = F.FirstCall; C < F.LastCall; ++C)
    if (makes(C)) {
      Flow.makeFresh(P.Calls[C].Result);
      for (const Target &T : First.pointsTo(P.Calls[C].Result).known())
        if (First.Objects[T.Object].K == AbstractObject::Heap)
          Blocks.insert(T.Object);
    }
  Flow.close();
  auto Fresh = [&](Index V) {
    return Flow.isFresh(V) || any_of(First.pointsTo(V).known(), [&](const Target &T) { return Blocks.count(T.Object); });
  };
  if (F.Result != None && Fresh(F.Result))
    return true;
  for (Index I = F.FirstConstraint; I < F.LastConstraint; ++I) {
    const Constraint &C = P.Constraints[I];
    if (C.Kind == ConstraintKind::Store && Flow.isOfParams(C.Dst) && Fresh(C.Src))
      return true;
  }
  return false;
}

/// A function may be a wrapper as soon as one of its calls makes something: each is looked at when that becomes so.
void Cloner::findWrappers() {
  Wrapper.assign(P.Functions.size(), false);
  std::vector<std::vector<Index>> Callers(P.Functions.size()); // functions, doubles allowed
  std::vector<Index> Queue;
  std::vector<bool> Queued(P.Functions.size(), false);
  auto Push = [&](Index F) {
    const Function &Fn = P.Functions[F];
    if (Queued[F] || Wrapper[F] || !First.Active[F] || Fn.LastConstraint - Fn.FirstConstraint > O.MaxWrapperSize)
      return;
    Queued[F] = true;
    Queue.push_back(F);
  };
  for (Index C = 0; C < P.Calls.size(); ++C) {
    eachCallee(C, [&](Index F) { Callers[F].push_back(P.Calls[C].Function); });
    if (First.HeapObject[C] != None)
      Push(P.Calls[C].Function);
  }
  for (size_t Next = 0; Next < Queue.size(); ++Next) {
    Index F = Queue[Next];
    Queued[F] = false;
    if (!handsOut(F))
      continue;
    Wrapper[F] = true;
    for (Index Caller : Callers[F])
      Push(Caller);
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
  SmallVector<Index, 4> Callees;
  eachCallee(Original, [&](Index F) { Callees.push_back(F); });
  for (Index F : Callees) {
    if (!Wrapper[F] || is_contained(Path, F) || Spent > Budget)
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

Solution solveInContexts(Program &P, const Models &M, const SolverOptions &S, const ContextOptions &O, bool *WithContexts) {
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
  if (WithContexts)
    *WithContexts = false;
  P.Clones.clear(); // over the limit: the coarser answer holds
  P.Functions.resize(Functions), P.Constraints.resize(Constraints), P.Calls.resize(Calls), P.Sites.resize(Sites);
  P.Objects.resize(Objects), P.ValueNames.resize(Values);
  return First;
}

} // namespace freehold
