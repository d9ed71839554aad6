// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Worklist.cpp - nodes, sets, memory and copies of the worklist solver; WorklistRules.cpp has constraints, calls and rounds.
#include "solver/Worklist.h"
#include <algorithm>

namespace freehold {

Index Worklist::newNode() {
  Nodes.emplace_back();
  return Nodes.size() - 1;
}

Index Worklist::offsetId(const Offsets &Where) {
  auto [It, New] = OffsetIds.try_emplace(Where, OffsetTable.size());
  if (New)
    OffsetTable.push_back(Where);
  return It->second;
}

Index Worklist::displacementId(const Displacement &D) {
  auto [It, New] = DisplacementIds.try_emplace({uint64_t(D.Offset), D.Stride, D.Length}, Displacements.size());
  if (New)
    Displacements.push_back(D);
  return It->second;
}

Index Worklist::cause(ReasonCode Code, SourceLoc Loc, const std::string &Text) {
  Causes.push_back({Code, Loc, Text});
  return Causes.size() - 1;
}

Worklist::Location Worklist::location(Index Object, const Offsets &Where) {
  return uint64_t(Object) << 32 | (isFunction(Object) ? offsetId(exactOffset(0)) : offsetId(Where));
}

Worklist::Location Worklist::displaced(Location L, Index Disp) {
  if (Disp == 0)
    return L;
  Index Object = objectOf(L);
  auto [It, New] = Displaced.try_emplace({uint64_t(Index(L)), Disp}, 0);
  if (New)
    It->second = offsetId(displace(offsetsOf(L), Displacements[Disp]));
  return isFunction(Object) ? L : (uint64_t(Object) << 32 | Index(It->second));
}

void Worklist::enqueue(Index N) {
  if (Nodes[N].Queued)
    return;
  Nodes[N].Queued = true;
  Queue.push_back(N);
}

/// Adds under the closure rule of OffsetSet: the locations of one object lie side by side.
void Worklist::add(Index N, Location L) {
  std::vector<Location> &V = Nodes[N].Pointees;
  Location ObjectBegin = L & ~Location(None);
  auto First = std::lower_bound(V.begin(), V.end(), ObjectBegin);
  auto Last = First;
  while (Last != V.end() && objectOf(*Last) == objectOf(L))
    ++Last;
  if (First == Last) {
    V.insert(First, L);
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
      L = location(objectOf(L), Set.Pieces[0]);
      *First = L;
      V.erase(First + 1, Last);
    } else {
      V.insert(At, L);
    }
  }
  ++Work;
  Nodes[N].Delta.push_back(L);
  if (Nodes[N].EscapeCause != None)
    escapeObject(objectOf(L), Nodes[N].EscapeCause);
  enqueue(N);
}

void Worklist::setExternal(Index N) {
  if (Nodes[N].External)
    return;
  Nodes[N].External = true;
  enqueue(N);
}

void Worklist::escapePointees(Index N, Index Cause) {
  if (Nodes[N].EscapeCause != None)
    return;
  Nodes[N].EscapeCause = Cause;
  for (Location L : Nodes[N].Pointees)
    escapeObject(objectOf(L), Cause);
}

void Worklist::addEdge(Index From, Index To, Index Disp, bool Externality) {
  if (From == To && Disp == 0)
    return;
  if (!EdgeSet.insert({uint64_t(From) << 32 | To, uint64_t(Disp) << 1 | Externality}).second)
    return;
  ++S.Stats.Edges;
  Nodes[From].Edges.push_back({To, Disp, Externality});
  std::vector<Location> Now = Nodes[From].Pointees;
  Work += 1 + Now.size();
  for (Location L : Now)
    add(To, displaced(L, Disp));
  if (Nodes[From].External && Externality)
    setExternal(To);
}

void Worklist::addUse(Index N, Use U) {
  Nodes[N].Uses.push_back(U);
  std::vector<Location> Now = Nodes[N].Pointees;
  for (Location L : Now)
    applyUse(U, L);
  if (Nodes[N].External)
    applyExternal(U);
}

void Worklist::escapeObject(Index Object, Index Cause) {
  Memory &Mem = Objects[Object];
  if (Mem.Escaped)
    return;
  Mem.Escaped = true;
  Mem.EscapeCause = Cause;
  Escapes.push_back({Object, Cause});
}

static bool isCell(const Access &A) { return A.Width == 0 && A.Where == anyOffset(); }

Index Worklist::writeNode(Index Object, Access A) {
  Memory &Mem = Objects[Object];
  if (Mem.Collapsed)
    A = {anyOffset(), 0};
  auto [It, New] = Mem.Writes.try_emplace(A, None);
  if (!New)
    return It->second;
  Index N = It->second = newNode();
  Mem.WriteList.push_back({A, N});
  NewWrites.push_back({Object, N, A});
  return N;
}

Index Worklist::readNode(Index Object, Access A) {
  Memory &Mem = Objects[Object];
  if (Mem.Collapsed)
    A = {anyOffset(), 0};
  auto [It, New] = Mem.Reads.try_emplace(A, None);
  if (!New)
    return It->second;
  Index N = It->second = newNode();
  Mem.ReadList.push_back({A, N});
  for (size_t I = 0; I < Mem.WriteList.size(); ++I) {
    const AccessNode &W = Mem.WriteList[I];
    if (mayOverlap(W.Where.Where, W.Where.Width, A.Where, A.Width))
      addEdge(W.Node, N);
  }
  if (Mem.Escaped)
    setExternal(N);
  return N;
}

void Worklist::linkWrite(const NewWrite &W) {
  Memory &Mem = Objects[W.Object];
  for (size_t I = 0; I < Mem.ReadList.size(); ++I) {
    const AccessNode &R = Mem.ReadList[I];
    if (mayOverlap(W.Where.Where, W.Where.Width, R.Where.Where, R.Where.Width))
      addEdge(W.Node, R.Node);
  }
  if (Mem.Escaped)
    escapePointees(W.Node, Mem.EscapeCause);
  for (size_t I = 0; I < Mem.Copies.size(); ++I)
    copyWrite(Mem.Copies[I].first, OffsetTable[Mem.Copies[I].second], W.Where, W.Node);
}

/// From now on the object has one cell: every write flows into it, every read gets all of it.
void Worklist::collapse(Index Object) {
  Memory &Mem = Objects[Object];
  Mem.Collapsed = true;
  ++S.Stats.Collapsed;
  size_t Writes = Mem.WriteList.size(), Reads = Mem.ReadList.size();
  Index Cell = writeNode(Object, {});
  for (size_t I = 0; I < Writes; ++I)
    if (!isCell(Mem.WriteList[I].Where))
      addEdge(Mem.WriteList[I].Node, Cell);
  for (size_t I = 0; I < Reads; ++I)
    addEdge(Cell, Mem.ReadList[I].Node);
}

Index Worklist::newCopy(Index To, Index From, uint64_t Length, SourceLoc Loc) {
  CopyList.emplace_back();
  Copy &C = CopyList.back();
  C.To = To;
  C.From = From;
  C.Length = Length;
  C.Loc = Loc;
  return CopyList.size() - 1;
}

/// A write to memory that a copy reads: where does it lie in the copied region?
void Worklist::copyWrite(Index Id, const Offsets &Region, const Access &Written, Index Node) {
  Copy &C = CopyList[Id];
  if (Written.Width == 0 || Written.Width > MaxFieldWidth) {
    if (mayOverlap(Written.Where, Written.Width, Region, C.Length))
      addFlow(C, {Node, 0, exactOffset(0)});
    return;
  }
  auto Relative = relativeOffsets(Written, Region, C.Length);
  OffsetSet &Set = C.Relative;
  bool WasClass = !Set.Pieces.empty() && isClass(Set.Pieces[0]);
  Offsets Before = WasClass ? Set.Pieces[0] : Offsets();
  for (const Offsets &R : Relative)
    Set.insert(R, MaxCopiedFields);
  for (const Offsets &R : Relative)
    addFlow(C, {Node, Written.Width, R});
  bool IsClass = !Set.Pieces.empty() && isClass(Set.Pieces[0]);
  if (!IsClass || (WasClass && Set.Pieces[0] == Before))
    return;
  for (size_t I = 0; I < C.Flows.size(); ++I) // the class grew: every field flows there
    if (C.Flows[I].Width != 0)
      for (size_t T = 0; T < C.ToList.size(); ++T)
        linkFlow(C, C.Flows[I], C.ToList[T]);
}

void Worklist::addFlow(Copy &C, Copy::Flow F) {
  if (!C.Known.insert({F.Node, F.Width, F.Where}).second)
    return;
  C.Flows.push_back(F);
  for (size_t T = 0; T < C.ToList.size(); ++T)
    linkFlow(C, F, C.ToList[T]);
}

void Worklist::linkFlow(Copy &C, const Copy::Flow &F, Location To) {
  Access A{offsetsOf(To), C.Length};
  if (F.Width != 0) {
    const OffsetSet &Set = C.Relative;
    A = mirroredAccess(offsetsOf(To), C.Length, isClass(Set.Pieces[0]) ? Set.Pieces[0] : F.Where, F.Width);
  }
  Index From = F.Node;
  addEdge(From, writeNode(objectOf(To), A));
}

void Worklist::copyFrom(Index Id, Location L) {
  Copy &C = CopyList[Id];
  C.FromList.push_back(L);
  Memory &Mem = Objects[objectOf(L)];
  Mem.Copies.push_back({Id, Index(L)});
  Offsets Region = offsetsOf(L);
  for (size_t I = 0; I < Mem.WriteList.size(); ++I) {
    AccessNode W = Mem.WriteList[I];
    copyWrite(Id, Region, W.Where, W.Node);
  }
  if (Mem.Escaped)
    copyFromExternal(C);
  if (C.ToExternal)
    escapePointees(readNode(objectOf(L), {Region, C.Length}), cause(204, C.Loc, causeText(204, "")));
}

void Worklist::copyTo(Index Id, Location L) {
  Copy &C = CopyList[Id];
  C.ToList.push_back(L);
  for (size_t I = 0; I < C.Flows.size(); ++I) {
    Copy::Flow F = C.Flows[I];
    linkFlow(C, F, L);
  }
  if (C.FromExternal)
    setExternal(writeNode(objectOf(L), {offsetsOf(L), C.Length}));
}

void Worklist::copyFromExternal(Copy &C) {
  if (C.FromExternal)
    return;
  C.FromExternal = true;
  for (size_t I = 0; I < C.ToList.size(); ++I)
    setExternal(writeNode(objectOf(C.ToList[I]), {offsetsOf(C.ToList[I]), C.Length}));
}

void Worklist::copyToExternal(Copy &C) {
  if (C.ToExternal)
    return;
  C.ToExternal = true;
  Index Why = cause(204, C.Loc, causeText(204, ""));
  for (size_t I = 0; I < C.FromList.size(); ++I)
    escapePointees(readNode(objectOf(C.FromList[I]), {offsetsOf(C.FromList[I]), C.Length}), Why);
}

} // namespace freehold
