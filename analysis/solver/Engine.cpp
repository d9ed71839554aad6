// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Engine.cpp - see Engine.h.
#include "solver/Engine.h"
#include <algorithm>
#include <set>

namespace freehold {

Engine::Engine(const Program &P, const Models &M, const SolverOptions &Options)
    : P(P), O(Options), Ids(P), G(P, O, Ids.FirstFreeValue, Ids.NumObjects, *this), Mem(P, O, G, Ids.NumObjects),
      Sites(P, M, O, Ids, G, *this, S), Decided(P.Constraints.size()) {
  S.Active.assign(P.Functions.size(), false);
  S.Objects = abstractObjects(P, Ids);
}

void Engine::constrain(const Constraint &C, Index Id, llvm::StringRef By, const NodeName &Name) {
  switch (C.Kind) {
  case ConstraintKind::AddressOf:
    return G.add(C.Dst, G.location(C.Src, displace(exactOffset(0), C.Disp)));
  case ConstraintKind::Copy:
    return G.addEdge(C.Src, C.Dst);
  case ConstraintKind::Displace:
    return G.addEdge(C.Src, C.Dst, G.displacementId(C.Disp));
  case ConstraintKind::Indexed:
    return G.addEdge(C.Src, C.Dst, G.displacementId({0, 1, 0}), false);
  case ConstraintKind::Load:
    return G.addUse(C.Src, {UseKind::Load, C.Dst, C.Width});
  case ConstraintKind::Store:
    return G.addUse(C.Dst, {C.Code ? UseKind::Initialise : UseKind::Store, C.Src, C.Width});
  case ConstraintKind::NarrowLoad: {
    if (O.Stress)
      return;
    ReasonCode Code = C.Code ? C.Code : 201;
    return G.addUse(C.Src, {UseKind::NarrowLoad, None, C.Width, G.cause(Code, C.Loc, causeText(Code, By))});
  }
  case ConstraintKind::UntrackedStore:
    return G.addUse(C.Dst, {C.Code ? UseKind::Zero : UseKind::Untracked, None, C.Width});
  case ConstraintKind::CopyMemory: {
    Index Copy = Mem.newCopy(C.Width, C.Loc, Name, Id);
    if (Id != None)
      CopyOf[Id] = Copy;
    G.addUse(C.Src, {UseKind::CopyFrom, Copy});
    return G.addUse(C.Dst, {UseKind::CopyTo, Copy});
  }
  case ConstraintKind::External:
    return G.setExternal(C.Dst);
  case ConstraintKind::Escape:
    return G.escapePointees(C.Src, G.cause(C.Code, C.Loc, causeText(C.Code, By)));
  case ConstraintKind::Difference:
    return; // decided in rounds
  }
}

/// An object that has escaped is on its way out of the set: what follows from it follows from the flags that come.
void Engine::pointee(const NodeUse &U, Location L) {
  Index Object = G.objectOf(L);
  if (G.isFunction(Object)) {
    if (U.Kind == UseKind::Callee)
      Sites.callFunction(U.Other, Object);
    return; // no memory
  }
  bool Writes = U.Kind == UseKind::Store || U.Kind == UseKind::Untracked || U.Kind == UseKind::Zero || U.Kind == UseKind::CopyTo;
  if (G.escaped(Object) || (Writes && Mem.isConstant(Object)))
    return;
  Access A{G.offsetsOf(L), U.Width};
  switch (U.Kind) {
  case UseKind::Load:
    return G.addEdge(Mem.read(Object, A), U.Other);
  case UseKind::Store:
  case UseKind::Initialise:
    return G.addEdge(U.Other, Mem.write(Object, A));
  case UseKind::NarrowLoad:
    return G.escapePointees(Mem.read(Object, A), U.Cause);
  case UseKind::Untracked:
    G.setExternal(Mem.write(Object, A));
    [[fallthrough]];
  case UseKind::Zero:
    if (U.Width < 8) { // a part of a word, or who knows: what it holds moves
      Index Held = Mem.read(Object, A);
      G.addEdge(Held, Mem.write(Object, A), G.displacementId({0, 1, 0}));
    }
    return;
  case UseKind::CopyFrom:
    return Mem.copyFrom(U.Other, L);
  case UseKind::CopyTo:
    return Mem.copyTo(U.Other, L);
  case UseKind::Callee:
    return;
  }
}

void Engine::external(const NodeUse &U, Index Why) {
  switch (U.Kind) {
  case UseKind::Load:
    return G.setExternal(U.Other, Why);
  case UseKind::Store:
  case UseKind::Initialise:
    return G.escapePointees(U.Other, Why != None ? Why : G.cause(204, {}, causeText(204, "")));
  case UseKind::NarrowLoad:
  case UseKind::Untracked:
  case UseKind::Zero:
    return;
  case UseKind::CopyFrom:
    return Mem.copyFromExternal(U.Other, false, Why);
  case UseKind::CopyTo:
    return Mem.copyToExternal(U.Other, Why);
  case UseKind::Callee:
    return Sites.callExternal(U.Other);
  }
}

/// Memory of escaped objects may hold an absorbed address.
void Engine::absorbed(const NodeUse &U, Index Why) {
  if (U.Kind == UseKind::Load)
    G.absorb(U.Other, Why);
  else if (U.Kind == UseKind::CopyFrom)
    Mem.copyFromExternal(U.Other, true, Why);
}

void Engine::escaped(Index Object, Index Cause) {
  if (!G.isFunction(Object))
    return Mem.escaped(Object, Cause);
  for (Index F : P.Definitions[P.Objects[Object].Symbol])
    Sites.escapeFunction(F, Cause);
}

void Engine::start() {
  G.add(Ids.KeyPointer, G.location(Ids.KeyCell, exactOffset(0)));
  G.add(Ids.PrivatePointer, G.location(Ids.PrivateMemory, exactOffset(0)));
  for (Index I : P.GlobalConstraints)
    constrain(P.Constraints[I], I, "", {});
  Sites.start();
}

void Engine::propagate() {
  while (!G.isOver() && (Sites.step() || Mem.step() || G.step()))
    ;
}

bool Engine::mayAlias(Index A, Index B) const {
  const Graph::Node &X = G.node(A), &Y = G.node(B);
  if (X.External && Y.External)
    return true;
  std::set<Index> Seen;
  for (Location L : X.Pointees)
    Seen.insert(G.objectOf(L));
  return std::any_of(Y.Pointees.begin(), Y.Pointees.end(), [&](Location L) { return Seen.count(G.objectOf(L)); });
}

/// One round at a fixpoint: everything is decided on the same sets, then all decisions are put into force.
bool Engine::decide() {
  struct Open {
    Index Id;
    bool EmptySource, EmptyTarget;
  };
  std::vector<Open> Constraints;
  for (Index I : Sites.activeConstraints()) {
    const Constraint &C = P.Constraints[I];
    if (Decided[I] || O.Stress)
      continue;
    if (C.Kind == ConstraintKind::Difference) {
      if (!mayAlias(C.Dst, C.Src))
        Constraints.push_back({I, false, false});
      continue;
    }
    bool Source = C.Kind != ConstraintKind::Store && G.node(C.Src).isEmpty();
    bool Target = C.Kind != ConstraintKind::Load && G.node(C.Dst).isEmpty();
    if (Source || Target)
      Constraints.push_back({I, Source, Target});
  }
  std::vector<Index> Calls = Sites.emptySites();
  for (const Open &Now : Constraints)
    decideConstraint(Now.Id, Now.EmptySource, Now.EmptyTarget);
  for (Index I : Calls) {
    NodeName Name;
    Name.Path = Sites.sitePath(I);
    S.Log.push_back({Decision::EmptyCall, Name, None, {}, {}});
    Sites.callNothing(I);
  }
  return !Constraints.empty() || !Calls.empty();
}

void Engine::decideConstraint(Index Id, bool EmptySource, bool EmptyTarget) {
  const Constraint &C = P.Constraints[Id];
  Decided[Id] = true;
  auto Log = [&](Decision::Kind K) { S.Log.push_back({K, {}, Id, {}, {}}); };
  if (C.Kind == ConstraintKind::Difference) {
    Log(Decision::Difference);
    Index Why = G.cause(201, C.Loc, causeText(201, ""));
    G.escapePointees(C.Dst, Why);
    return G.escapePointees(C.Src, Why);
  }
  if (EmptySource)
    Log(Decision::EmptySource);
  if (EmptyTarget)
    Log(Decision::EmptyTarget);
  if (C.Kind == ConstraintKind::Load)
    G.setExternal(C.Dst);
  else if (C.Kind == ConstraintKind::Store)
    G.escapePointees(C.Src, G.cause(204, C.Loc, causeText(204, "")));
  else if (EmptySource)
    Mem.copyFromExternal(CopyOf[Id], false, None);
  if (C.Kind == ConstraintKind::CopyMemory && EmptyTarget)
    Mem.copyToExternal(CopyOf[Id], None);
  Sites.note(204, "memory reached through a pointer that points to nothing known", C.Loc);
}

NodeName Engine::name(Index N) const {
  const Graph::Node &Node = G.node(N);
  NodeName Name;
  if (Node.Kind == NodeName::Temporary)
    return Sites.temporary(Node.Owner);
  Name.K = Node.Kind;
  Name.Id = N;
  if (Node.Kind == NodeName::Value)
    return Name;
  Name.Id = Node.Owner;
  const Memory::Side &Side = Node.Kind == NodeName::Write ? Mem.cells(Node.Owner).Writes : Mem.cells(Node.Owner).Reads;
  for (const Memory::AccessNode &A : Side.List)
    if (A.Node == N)
      Name.Where = A.Where;
  return Name;
}

/// What was decided outside rounds.
void Engine::log() {
  S.Log.insert(S.Log.end(), Mem.Decided.begin(), Mem.Decided.end());
  for (const auto &[Node, Objects] : G.Saturated)
    S.Log.push_back({Decision::Saturated, name(Node), None, {}, Objects});
}

void Engine::extract() {
  for (Index V = 0; V < P.ValueNames.size(); ++V) {
    std::vector<Target> T;
    for (Location L : G.node(V).Pointees)
      T.push_back({G.objectOf(L), G.offsetsOf(L)});
    std::sort(T.begin(), T.end(),
              [](const Target &A, const Target &B) { return A.Object != B.Object ? A.Object < B.Object : A.Where < B.Where; });
    S.addValue(std::move(T), G.node(V).External);
  }
  for (Index Object = 0; Object < Ids.NumObjects; ++Object) {
    std::vector<Index> Held;
    bool External = G.escaped(Object);
    if (!External)
      for (const Memory::AccessNode &W : Mem.cells(Object).Writes.List) {
        External |= G.node(W.Node).External;
        for (Location L : G.node(W.Node).Pointees)
          Held.push_back(G.objectOf(L));
      }
    std::sort(Held.begin(), Held.end());
    Held.erase(std::unique(Held.begin(), Held.end()), Held.end());
    S.setContents(Object, std::move(Held), External);
    if (!G.escaped(Object))
      continue;
    const Cause &Why = G.cause(G.escapeCause(Object));
    S.Objects[Object].Escaped = true;
    S.Objects[Object].EscapeCode = Why.Code;
    S.Objects[Object].EscapeLoc = Why.Loc;
    S.Objects[Object].EscapeText = Why.Text;
  }
  std::vector<std::pair<Index, Index>> Left;
  for (auto [Node, Object] : G.Left)
    if (Node < P.ValueNames.size())
      Left.push_back({Node, Object});
  S.setPointedTo(std::move(Left));
  Sites.extract();
  S.Stats.Nodes = G.size();
  S.Stats.Edges = G.Edges;
  S.Stats.Steps = G.Steps;
  S.Stats.Work = G.work();
  S.Stats.Collapsed = Mem.Collapsed;
  S.Stats.Widened = Mem.Widened;
  S.Stats.Saturated = G.Saturated.size();
}

Solution Engine::run() {
  start();
  do {
    ++S.Stats.Rounds;
    propagate();
    S.Finished = !G.isOver();
  } while (S.Finished && decide());
  if (!S.Finished)
    return std::move(S);
  log();
  extract();
  finishSolution(P, S);
  return std::move(S);
}

Solution solve(const Program &P, const Models &M, const SolverOptions &O) { return Engine(P, M, O).run(); }

} // namespace freehold
