// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory.cpp - see Memory.h.
#include "solver/Memory.h"
#include "solver/Effects.h"
#include <algorithm>

namespace freehold {

Memory::Memory(const Program &P, const SolverOptions &O, Domain &D, Graph &G, Index NumObjects)
    : P(P), O(O), D(D), G(G), Objects(NumObjects) {
  for (Cells &C : Objects)
    C.Collapsed = !O.FieldSensitive;
}

static Access wholeObject() { return {anyOffset(), 0}; }

Index Memory::node(Index Object, Access A, Side &S, bool IsWrite) {
  Cells &Mem = Objects[Object];
  if (Mem.Collapsed)
    A = wholeObject();
  else if (auto It = S.Class.find(A.Width); It != S.Class.end())
    return covers(It->second.Where.Where, A.Where) ? It->second.Node : widen(Object, A, S, IsWrite);
  if (auto It = S.Nodes.find(A); It != S.Nodes.end())
    return It->second;
  if (!Mem.Collapsed && S.Count[A.Width] >= O.AccessLimit)
    return widen(Object, A, S, IsWrite);
  if (!Mem.Collapsed && Mem.Writes.List.size() + Mem.Reads.List.size() >= O.FieldCap) {
    collapse(Object);
    return node(Object, A, S, IsWrite);
  }
  return makeNode(Object, A, S, IsWrite);
}

Index Memory::makeNode(Index Object, Access A, Side &S, bool IsWrite) {
  Cells &Mem = Objects[Object];
  Index N = S.Nodes[A] = G.newNode(IsWrite ? NodeName::Write : NodeName::Read, Object);
  S.List.push_back({A, N});
  ++S.Count[A.Width];
  if (IsWrite) {
    NewWrites.push_back({Object, N, A});
    return N;
  }
  G.spend(Mem.Writes.List.size());
  for (size_t I = 0; I < Mem.Writes.List.size() && !G.isOver(); ++I) {
    const AccessNode &W = Mem.Writes.List[I];
    if (mayOverlap(W.Where.Where, W.Where.Width, A.Where, A.Width))
      G.addEdge(W.Node, N);
  }
  return N;
}

/// An old node stands for a part of the new one. What is read through either is the same.
void Memory::become(Index Old, Index New, bool IsWrite) {
  G.addEdge(Old, New);
  if (!IsWrite)
    G.addEdge(New, Old);
}

/// The smallest class that covers this access and all of its width takes their place. The old nodes stay: what was written
/// through them is in the class too, and what is read through them is all that is read through the class.
Index Memory::widen(Index Object, Access A, Side &S, bool IsWrite) {
  Offsets All = A.Where;
  for (const AccessNode &N : S.List)
    if (N.Where.Width == A.Width)
      All = join(All, N.Where.Where);
  if (isBounded(All)) // all are pieces of one array: its bounds hold for each, not for the class
    All = classOffset(All.Base, All.Stride);
  A.Where = All;
  auto Known = S.Nodes.find(A);
  Index Class = Known != S.Nodes.end() ? Known->second : makeNode(Object, A, S, IsWrite);
  for (size_t I = 0; I < S.List.size(); ++I)
    if (S.List[I].Where.Width == A.Width && S.List[I].Node != Class)
      become(S.List[I].Node, Class, IsWrite);
  S.Class[A.Width] = {A, Class};
  NodeName Name;
  Name.K = IsWrite ? NodeName::Write : NodeName::Read;
  Name.Id = Object;
  Name.Where.Width = A.Width;
  Decided.push_back({Decision::Widened, Name, None, All, {}});
  ++Widened;
  return Class;
}

/// From now on the object has one cell: every write flows into it, every read gets all of it.
void Memory::collapse(Index Object) {
  Cells &Mem = Objects[Object];
  Mem.Collapsed = true;
  ++Collapsed;
  NodeName Name;
  Name.K = NodeName::Write;
  Name.Id = Object;
  Decided.push_back({Decision::Collapsed, Name, None, {}, {}});
  Index Cell = write(Object, wholeObject());
  Index All = read(Object, wholeObject());
  G.addEdge(Cell, All);
  for (size_t I = 0; I < Mem.Writes.List.size(); ++I)
    become(Mem.Writes.List[I].Node, Cell, true);
  for (size_t I = 0; I < Mem.Reads.List.size(); ++I)
    become(Mem.Reads.List[I].Node, All, false);
}

void Memory::escaped(Index Object, Index Cause) {
  Cells &Mem = Objects[Object];
  for (size_t I = 0; I < Mem.Writes.List.size(); ++I)
    G.escapePointees(Mem.Writes.List[I].Node, Cause);
}

void Memory::link(const NewWrite &W) {
  Cells &Mem = Objects[W.Object];
  if (G.escaped(W.Object))
    return G.escapePointees(W.Node, G.escapeCause(W.Object));
  G.spend(Mem.Reads.List.size() + Mem.Copies.size());
  for (size_t I = 0; I < Mem.Reads.List.size() && !G.isOver(); ++I) {
    const AccessNode &R = Mem.Reads.List[I];
    if (mayOverlap(W.Where.Where, W.Where.Width, R.Where.Where, R.Where.Width))
      G.addEdge(W.Node, R.Node);
  }
  for (size_t I = 0; I < Mem.Copies.size() && !G.isOver(); ++I) {
    auto [Copy, Region] = Mem.Copies[I];
    copyWrite(Copy, W.Object, Region, W.Where, W.Node);
  }
}

bool Memory::step() {
  if (NewWrites.empty())
    return false;
  NewWrite W = NewWrites.front();
  NewWrites.pop_front();
  link(W);
  return true;
}

Index Memory::newCopy(uint64_t Length, SourceLoc Loc, NodeName Name, Index Constraint) {
  CopyList.emplace_back();
  Copy &C = CopyList.back();
  C.Length = Length;
  C.Loc = Loc;
  C.Name = std::move(Name);
  C.Constraint = Constraint;
  return CopyList.size() - 1;
}

/// A write to memory that a copy reads: where does it lie in the copied region?
void Memory::copyWrite(Index Id, Index From, const Offsets &Region, const Access &Written, Index Node) {
  Copy &C = CopyList[Id];
  if (Written.Width == 0 || Written.Width > MaxFieldWidth) {
    if (mayOverlap(Written.Where, Written.Width, Region, C.Length))
      addFlow(C, {Node, From, 0, exactOffset(0)});
    return;
  }
  auto Relative = relativeOffsets(Written, Region, C.Length);
  OffsetSet &Set = C.Relative[From];
  bool WasClass = !Set.Pieces.empty() && isClass(Set.Pieces[0]);
  Offsets Before = WasClass ? Set.Pieces[0] : Offsets();
  for (const Offsets &R : Relative)
    if (!isPartial(R, Written.Width, C.Length))
      Set.insert(R, MaxCopiedFields);
  for (const Offsets &R : Relative)
    addFlow(C, isPartial(R, Written.Width, C.Length) ? Flow{Node, From, 0, exactOffset(0)} : Flow{Node, From, Written.Width, R});
  bool IsClass = !Set.Pieces.empty() && isClass(Set.Pieces[0]);
  if (!IsClass || (WasClass && Set.Pieces[0] == Before))
    return;
  NodeName Name = C.Name;
  Name.Id = From;
  Decided.push_back({Decision::CopyClass, Name, C.Constraint, Set.Pieces[0], {}});
  for (size_t I = 0; I < C.Flows.size() && !G.isOver(); ++I) // the class grew: every field flows there
    if (C.Flows[I].Width != 0 && C.Flows[I].From == From)
      for (size_t T = 0; T < C.ToList.size(); ++T)
        linkFlow(C, C.Flows[I], C.ToList[T]);
}

void Memory::addFlow(Copy &C, Flow F) {
  if (!C.Known.insert(F).second)
    return;
  C.Flows.push_back(F);
  for (size_t T = 0; T < C.ToList.size(); ++T)
    linkFlow(C, F, C.ToList[T]);
}

void Memory::linkFlow(Copy &C, const Flow &F, Location To) {
  if (gone(To))
    return;
  Access A{G.offsetsOf(To), C.Length};
  if (F.Width != 0) {
    const OffsetSet &Set = C.Relative[F.From];
    A = mirroredAccess(G.offsetsOf(To), C.Length, isClass(Set.Pieces[0]) ? Set.Pieces[0] : F.Where, F.Width);
  }
  G.addEdge(F.Node, write(G.objectOf(To), A));
}

void Memory::copyFrom(Index Id, Location L) {
  Copy &C = CopyList[Id];
  if (gone(L))
    return;
  C.FromList.push_back(L);
  Index Object = G.objectOf(L);
  Offsets Region = G.offsetsOf(L);
  Cells &Mem = Objects[Object];
  Mem.Copies.push_back({Id, Region});
  G.spend(Mem.Writes.List.size());
  for (size_t I = 0; I < Mem.Writes.List.size() && !G.isOver(); ++I) {
    AccessNode W = Mem.Writes.List[I];
    copyWrite(Id, Object, Region, W.Where, W.Node);
  }
  if (C.ToExternal)
    G.escapePointees(read(Object, {Region, C.Length}), C.ToWhy);
}

void Memory::copyTo(Index Id, Location L) {
  Copy &C = CopyList[Id];
  if (gone(L))
    return;
  C.ToList.push_back(L);
  for (size_t I = 0; I < C.Flows.size() && !G.isOver(); ++I) {
    Flow F = C.Flows[I];
    linkFlow(C, F, L);
  }
  if (!C.FromExternal)
    return;
  Index To = write(G.objectOf(L), {G.offsetsOf(L), C.Length});
  C.FromAbsorbed ? G.absorb(To, C.FromWhy) : G.setExternal(To, C.FromWhy);
}

void Memory::copyFromExternal(Index Id, bool Absorbed, Index Why) {
  Copy &C = CopyList[Id];
  if (C.FromExternal && (C.FromAbsorbed || !Absorbed))
    return;
  C.FromExternal = true;
  C.FromAbsorbed |= Absorbed;
  if (C.FromWhy == None)
    C.FromWhy = Why;
  for (size_t I = 0; I < C.ToList.size(); ++I) {
    if (gone(C.ToList[I]))
      continue;
    Index To = write(G.objectOf(C.ToList[I]), {G.offsetsOf(C.ToList[I]), C.Length});
    Absorbed ? G.absorb(To, Why) : G.setExternal(To, Why);
  }
}

void Memory::copyToExternal(Index Id, Index Why) {
  Copy &C = CopyList[Id];
  if (C.ToExternal)
    return;
  C.ToExternal = true;
  C.ToWhy = Why != None ? Why : D.cause(204, C.Loc, causeText(204, ""));
  for (size_t I = 0; I < C.FromList.size(); ++I)
    if (!gone(C.FromList[I]))
      G.escapePointees(read(G.objectOf(C.FromList[I]), {G.offsetsOf(C.FromList[I]), C.Length}), C.ToWhy);
}

} // namespace freehold
