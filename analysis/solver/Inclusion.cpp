// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inclusion.cpp - see Inclusion.h.
#include "solver/Inclusion.h"
#include "solver/Effects.h"
#include <algorithm>
#include <set>

namespace freehold {

Index Inclusion::copy(Index To, Index From, uint64_t Width, SourceLoc Loc, NodeName Name, Index Constraint) {
  Index Copy = Mem.newCopy(Width, Loc, std::move(Name), Constraint);
  G.addUse(From, {UseKind::CopyFrom, Copy});
  G.addUse(To, {UseKind::CopyTo, Copy});
  return Copy;
}

void Inclusion::copyUnknown(Index Copy, bool Source, bool Target) {
  if (Source)
    Mem.copyFromExternal(Copy, false, None);
  if (Target)
    Mem.copyToExternal(Copy, None);
}

/// An object that has escaped is on its way out of the set: what follows from it follows from the flags that come.
void Inclusion::pointee(const NodeUse &U, Location L) {
  Index Object = G.objectOf(L);
  if (G.isFunction(Object)) {
    if (U.Kind == UseKind::Callee)
      Told.callFunction(U.Other, Object);
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

void Inclusion::external(const NodeUse &U, Index Why) {
  switch (U.Kind) {
  case UseKind::Load:
    return G.setExternal(U.Other, Why);
  case UseKind::Store:
  case UseKind::Initialise:
    return G.escapePointees(U.Other, Why != None ? Why : cause(204, {}, causeText(204, "")));
  case UseKind::NarrowLoad:
  case UseKind::Untracked:
  case UseKind::Zero:
    return;
  case UseKind::CopyFrom:
    return Mem.copyFromExternal(U.Other, false, Why);
  case UseKind::CopyTo:
    return Mem.copyToExternal(U.Other, Why);
  case UseKind::Callee:
    return Told.callExternal(U.Other);
  }
}

/// Memory of escaped objects may hold an absorbed address.
void Inclusion::absorbed(const NodeUse &U, Index Why) {
  if (U.Kind == UseKind::Load)
    G.absorb(U.Other, Why);
  else if (U.Kind == UseKind::CopyFrom)
    Mem.copyFromExternal(U.Other, true, Why);
}

void Inclusion::escaped(Index Object, Index Cause) {
  if (G.isFunction(Object))
    Told.escapedFunction(Object, Cause);
  else
    Mem.escaped(Object, Cause);
}

Index Inclusion::saturated() { return cause(210, {}, causeText(210, "")); }

bool Inclusion::mayAlias(Index A, Index B) const {
  const Graph::Node &X = G.node(A), &Y = G.node(B);
  if (X.External && Y.External)
    return true;
  std::set<Index> Seen;
  for (Location L : X.Pointees)
    Seen.insert(G.objectOf(L));
  return std::any_of(Y.Pointees.begin(), Y.Pointees.end(), [&](Location L) { return Seen.count(G.objectOf(L)); });
}

NodeName Inclusion::name(Index N, llvm::function_ref<NodeName(Index)> NameOfTemporary) const {
  const Graph::Node &Node = G.node(N);
  if (Node.Kind == NodeName::Temporary)
    return NameOfTemporary(Node.Owner);
  NodeName Name;
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

void Inclusion::log(DecisionLog &Log, llvm::function_ref<NodeName(Index)> NameOfTemporary) const {
  Log.insert(Log.end(), Mem.Decided.begin(), Mem.Decided.end());
  for (const auto &[Node, Objects] : G.Saturated)
    Log.push_back({Decision::Saturated, name(Node, NameOfTemporary), None, {}, Objects});
}

void Inclusion::extract(Solution &S, Index NumValues) const {
  for (Index V = 0; V < NumValues; ++V) {
    std::vector<Target> T;
    for (Location L : G.node(V).Pointees)
      T.push_back({G.objectOf(L), G.offsetsOf(L)});
    std::sort(T.begin(), T.end(),
              [](const Target &A, const Target &B) { return A.Object != B.Object ? A.Object < B.Object : A.Where < B.Where; });
    S.addValue(std::move(T), G.node(V).External);
  }
  for (Index Object = 0; Object < S.Objects.size(); ++Object) {
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
  }
  std::vector<std::pair<Index, Index>> Left;
  for (auto [Node, Object] : G.Left)
    if (Node < NumValues)
      Left.push_back({Node, Object});
  S.setPointedTo(std::move(Left));
  S.Stats.Nodes = G.size();
  S.Stats.Edges = G.Edges;
  S.Stats.Steps = G.Steps;
  S.Stats.Work = G.work();
  S.Stats.Collapsed = Mem.Collapsed;
  S.Stats.Widened = Mem.Widened;
  S.Stats.Saturated = G.Saturated.size();
}

} // namespace freehold
