// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graph.cpp - see Graph.h.
#include "solver/Graph.h"
#include <algorithm>

namespace freehold {

Graph::Graph(const Program &P, const SolverOptions &O, Index NumValues, Index NumObjects, Rules &Told)
    : P(P), O(O), Told(Told), Nodes(NumValues), EscapeCauses(NumObjects, None), Holders(NumObjects) {
  displacementId({});
  offsetId(exactOffset(0));
}

Index Graph::newNode(NodeName::Kind Kind, Index Owner) {
  Nodes.emplace_back();
  Nodes.back().Kind = Kind;
  Nodes.back().Owner = Owner;
  return Nodes.size() - 1;
}

Index Graph::offsetId(const Offsets &Where) {
  auto [It, New] = OffsetIds.try_emplace(Where, OffsetTable.size());
  if (New)
    OffsetTable.push_back(Where);
  return It->second;
}

Index Graph::displacementId(const Displacement &D) {
  auto [It, New] = DisplacementIds.try_emplace({uint64_t(D.Offset), D.Stride, D.Length}, Displacements.size());
  if (New)
    Displacements.push_back(D);
  return It->second;
}

/// Functions have no inside, and without fields nothing has.
Location Graph::location(Index Object, const Offsets &Where) {
  bool Flat = !O.FieldSensitive || isFunction(Object);
  return uint64_t(Object) << 32 | (Flat ? 0 : offsetId(Where));
}

Location Graph::displaced(Location L, Index Disp) {
  if (Disp == 0 || !O.FieldSensitive || isFunction(objectOf(L)))
    return L;
  auto [It, New] = Displaced.try_emplace({uint64_t(Index(L)), Disp}, 0);
  if (New)
    It->second = offsetId(displace(offsetsOf(L), Displacements[Disp]));
  return uint64_t(objectOf(L)) << 32 | It->second;
}

void Graph::enqueue(Index N) {
  if (Nodes[N].Queued)
    return;
  Nodes[N].Queued = true;
  Queue.push_back(N);
}

/// Adds under the closure rule of OffsetSet: the locations of one object lie side by side.
void Graph::add(Index N, Location L) {
  Node &Now = Nodes[N];
  Index Object = objectOf(L);
  if (Now.EscapeCause != None)
    escape(Object, Now.EscapeCause);
  if (escaped(Object) && (Now.External || !isFunction(Object)))
    return absorb(N, EscapeCauses[Object]);
  std::vector<Location> &V = Now.Pointees;
  auto First = std::lower_bound(V.begin(), V.end(), uint64_t(Object) << 32);
  auto Last = First;
  while (Last != V.end() && objectOf(*Last) == Object)
    ++Last;
  if (First == Last) {
    V.insert(First, L);
    ++Now.Objects;
    Holders[Object].push_back(N);
  } else {
    auto At = std::lower_bound(First, Last, L);
    if (At != Last && *At == L)
      return;
    OffsetSet Set;
    for (auto I = First; I != Last; ++I)
      Set.Pieces.push_back(offsetsOf(*I));
    std::sort(Set.Pieces.begin(), Set.Pieces.end());
    if (!Set.insert(offsetsOf(L)))
      return;
    if (Set.Pieces.size() == 1) {
      L = location(Object, Set.Pieces[0]);
      *First = L;
      V.erase(First + 1, Last);
    } else {
      V.insert(At, L);
    }
  }
  ++Work;
  Now.Delta.push_back(L);
  enqueue(N);
  if (Now.Objects > O.SetLimit)
    saturate(N);
}

/// Rule "bounds": what the set holds escapes, so that nothing of it needs to be held.
void Graph::saturate(Index N) {
  std::vector<Index> Objects;
  for (Location L : Nodes[N].Pointees)
    if ((Objects.empty() || Objects.back() != objectOf(L)) && !escaped(objectOf(L)))
      Objects.push_back(objectOf(L));
  if (Objects.size() <= O.SetLimit)
    return; // some are about to leave
  Index Why = Told.saturated();
  setExternal(N);
  for (Index Object : Objects)
    escape(Object, Why);
  Saturated.push_back({N, std::move(Objects)});
}

void Graph::setExternal(Index N, Index Why) {
  Node &Now = Nodes[N];
  if (Now.Why == None)
    Now.Why = Why;
  if (Now.External)
    return;
  Now.External = true;
  enqueue(N);
  std::vector<Index> Gone;
  for (Location L : Now.Pointees)
    if (isFunction(objectOf(L)) && escaped(objectOf(L)))
      Gone.push_back(objectOf(L));
  for (Index Object : Gone)
    leave(N, Object);
}

void Graph::absorb(Index N, Index Why) {
  setExternal(N, Why);
  if (Nodes[N].Absorbed)
    return;
  Nodes[N].Absorbed = true;
  enqueue(N);
}

/// The object is implied from now on.
void Graph::leave(Index N, Index Object) {
  std::vector<Location> &V = Nodes[N].Pointees;
  auto First = std::lower_bound(V.begin(), V.end(), uint64_t(Object) << 32);
  auto Last = First;
  while (Last != V.end() && objectOf(*Last) == Object)
    ++Last;
  if (First == Last)
    return;
  V.erase(First, Last);
  Left.push_back({N, Object});
  --Nodes[N].Objects;
  absorb(N, EscapeCauses[Object]);
}

void Graph::escapePointees(Index N, Index Cause) {
  if (Nodes[N].EscapeCause != None)
    return;
  Nodes[N].EscapeCause = Cause;
  for (Location L : Nodes[N].Pointees)
    escape(objectOf(L), Cause);
}

void Graph::addEdge(Index From, Index To, Index Disp, bool Externality) {
  if (From == To && Disp == 0)
    return;
  if (!EdgeSet.insert({uint64_t(From) << 32 | To, uint64_t(Disp) << 1 | Externality}).second)
    return;
  ++Edges;
  Nodes[From].Edges.push_back({To, Disp, Externality});
  std::vector<Location> Now = Nodes[From].Pointees;
  Work += 1 + Now.size();
  for (Location L : Now)
    add(To, displaced(L, Disp));
  if (Nodes[From].External && Externality)
    setExternal(To, Nodes[From].Why);
  if (Nodes[From].Absorbed)
    absorb(To, Nodes[From].Why);
}

void Graph::addUse(Index N, NodeUse U) {
  Nodes[N].Uses.push_back(U);
  std::vector<Location> Now = Nodes[N].Pointees;
  for (Location L : Now)
    Told.pointee(U, L);
  if (Nodes[N].External)
    Told.external(U, Nodes[N].Why);
  if (Nodes[N].Absorbed)
    Told.absorbed(U, Nodes[N].Why);
}

void Graph::escape(Index Object, Index Cause) {
  if (escaped(Object))
    return;
  EscapeCauses[Object] = Cause;
  Escapes.push_back({Object, Cause});
}

void Graph::tellEscape(Index Object, Index Cause) {
  std::vector<Index> Nodes = std::move(Holders[Object]);
  Work += Nodes.size();
  for (Index N : Nodes)
    if (!isFunction(Object) || node(N).External)
      leave(N, Object);
    else
      Holders[Object].push_back(N);
  Told.escaped(Object, Cause);
}

void Graph::process(Index N) {
  Node &Now = Nodes[N];
  Now.Queued = false;
  ++Steps;
  std::vector<Location> Delta = std::move(Now.Delta);
  Now.Delta.clear();
  const Index Why = Now.Why;
  bool External = Now.External && !Now.ExternalDone, Absorbed = Now.Absorbed && !Now.AbsorbedDone;
  Now.ExternalDone = Now.External;
  Now.AbsorbedDone = Now.Absorbed;
  Work += Now.Edges.size() * (1 + Delta.size());
  for (size_t I = 0; I < Now.Edges.size() && !isOver(); ++I) {
    Edge E = Now.Edges[I];
    if (External && E.Externality)
      setExternal(E.To, Why);
    if (Absorbed)
      absorb(E.To, Why);
    for (Location L : Delta)
      add(E.To, displaced(L, E.Disp));
  }
  for (size_t I = 0; I < Now.Uses.size() && !isOver(); ++I) {
    NodeUse U = Now.Uses[I];
    if (External)
      Told.external(U, Why);
    if (Absorbed)
      Told.absorbed(U, Why);
    for (Location L : Delta)
      Told.pointee(U, L);
  }
}

bool Graph::step() {
  if (!Escapes.empty()) {
    auto [Object, Cause] = Escapes.front();
    Escapes.pop_front();
    tellEscape(Object, Cause);
  } else if (!Queue.empty()) {
    Index N = O.Queue == SolverOptions::Order::FIFO ? Queue.front() : Queue.back();
    O.Queue == SolverOptions::Order::FIFO ? Queue.pop_front() : Queue.pop_back();
    process(N);
  } else {
    return false;
  }
  return true;
}

} // namespace freehold
