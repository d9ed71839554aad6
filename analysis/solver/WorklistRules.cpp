// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WorklistRules.cpp - the worklist solver's constraints, calls, escape, rounds and result.
#include "solver/Worklist.h"
#include <algorithm>

namespace freehold {

Worklist::Worklist(const Program &P, const Models &M, const SolverOptions &O) : P(P), M(M), O(O), Ids(P) {
  displacementId({});
  offsetId(exactOffset(0));
  Nodes.resize(Ids.FirstFreeValue);
  Objects.resize(Ids.NumObjects);
  for (Memory &Mem : Objects)
    Mem.Collapsed = !O.FieldSensitive;
  Decided.assign(P.Constraints.size(), false);
  EscapedFunctions.assign(P.Functions.size(), false);
  S.Active.assign(P.Functions.size(), false);
  S.Callees.resize(P.Calls.size());
  S.ExternalCallees.resize(P.Calls.size());
  S.HeapObject.assign(P.Calls.size(), None);
  S.Objects.resize(Ids.NumObjects);
  for (Index I = 0; I < Ids.NumObjects; ++I) {
    AbstractObject &A = S.Objects[I];
    if (I < Ids.FirstHeap) {
      ObjectKind K = P.Objects[I].Kind;
      A.K = K == ObjectKind::Variable   ? AbstractObject::Variable
            : K == ObjectKind::Function ? AbstractObject::Function
                                        : AbstractObject::Stack;
      A.Source = I;
    } else if (I < Ids.KeyCell) {
      A.K = AbstractObject::Heap;
      A.Source = I - Ids.FirstHeap;
    } else {
      A.K = AbstractObject::Private;
    }
  }
}

void Worklist::note(ReasonCode Code, const std::string &Text, SourceLoc Loc) {
  auto [It, New] = NoteIds.try_emplace(Text, S.NoteTexts.size());
  if (New)
    S.NoteTexts.push_back(Text);
  S.Notes.push_back({Code, It->second, Loc});
}

void Worklist::constrain(const Constraint &C, Index Id, llvm::StringRef By) {
  switch (C.Kind) {
  case ConstraintKind::AddressOf:
    return add(C.Dst, location(C.Src, displace(exactOffset(0), C.Disp)));
  case ConstraintKind::Copy:
    return addEdge(C.Src, C.Dst);
  case ConstraintKind::Displace:
    return addEdge(C.Src, C.Dst, displacementId(C.Disp));
  case ConstraintKind::Indexed:
    return addEdge(C.Src, C.Dst, displacementId({0, 1, 0}), false);
  case ConstraintKind::Load:
    return addUse(C.Src, {UseKind::Load, C.Dst, C.Width});
  case ConstraintKind::Store:
    return addUse(C.Dst, {C.Code ? UseKind::Initialise : UseKind::Store, C.Src, C.Width});
  case ConstraintKind::NarrowLoad: {
    ReasonCode Code = C.Code ? C.Code : 201;
    return addUse(C.Src, {UseKind::NarrowLoad, None, C.Width, cause(Code, C.Loc, causeText(Code, By))});
  }
  case ConstraintKind::UntrackedStore:
    return addUse(C.Dst, {C.Code ? UseKind::Zero : UseKind::Untracked, None, C.Width});
  case ConstraintKind::CopyMemory: {
    Index Copy = newCopy(C.Dst, C.Src, C.Width, C.Loc);
    if (Id != None)
      CopyOf[Id] = Copy;
    addUse(C.Src, {UseKind::CopyFrom, Copy});
    return addUse(C.Dst, {UseKind::CopyTo, Copy});
  }
  case ConstraintKind::External:
    return setExternal(C.Dst);
  case ConstraintKind::Escape:
    return escapePointees(C.Src, cause(C.Code, C.Loc, causeText(C.Code, By)));
  case ConstraintKind::Difference:
    return; // decided in rounds
  }
}

void Worklist::applyUse(const Use &U, Location L) {
  Index Object = objectOf(L);
  bool Writes = U.Kind == UseKind::Store || U.Kind == UseKind::Untracked || U.Kind == UseKind::Zero || U.Kind == UseKind::CopyTo;
  if (Writes && isConstant(Object))
    return;
  switch (U.Kind) {
  case UseKind::Load:
    return addEdge(readNode(Object, {offsetsOf(L), U.Width}), U.Other);
  case UseKind::Store:
  case UseKind::Initialise:
    return addEdge(U.Other, writeNode(Object, {offsetsOf(L), U.Width}));
  case UseKind::NarrowLoad:
    return escapePointees(readNode(Object, {offsetsOf(L), U.Width}), U.Cause);
  case UseKind::Untracked:
    setExternal(writeNode(Object, {offsetsOf(L), U.Width}));
    [[fallthrough]];
  case UseKind::Zero:
    if (U.Width < 8) { // a part of a word, or who knows: what it holds moves
      Index Held = readNode(Object, {offsetsOf(L), U.Width});
      addEdge(Held, writeNode(Object, {offsetsOf(L), U.Width}), displacementId({0, 1, 0}));
    }
    return;
  case UseKind::CopyFrom:
    return copyFrom(U.Other, L);
  case UseKind::CopyTo:
    return copyTo(U.Other, L);
  case UseKind::Callee:
    if (isFunction(Object)) {
      Sites[U.Other].AnyFunction = true;
      callSymbol(U.Other, P.Objects[Object].Symbol);
    }
  }
}

void Worklist::applyExternal(const Use &U) {
  switch (U.Kind) {
  case UseKind::Load:
    return setExternal(U.Other);
  case UseKind::Store:
  case UseKind::Initialise:
    return escapePointees(U.Other, cause(204, {}, causeText(204, "")));
  case UseKind::NarrowLoad:
  case UseKind::Untracked:
  case UseKind::Zero:
    return;
  case UseKind::CopyFrom:
    return copyFromExternal(CopyList[U.Other]);
  case UseKind::CopyTo:
    return copyToExternal(CopyList[U.Other]);
  case UseKind::Callee:
    return callUnknown(U.Other, 204, causeText(204, ""));
  }
}

void Worklist::addSite(CallSite C) {
  Index Id = Sites.size();
  Sites.emplace_back();
  Sites[Id].Call = std::move(C);
  const CallSite &Call = Sites[Id].Call;
  if (Call.Depth > MaxCallbackDepth)
    return callUnknown(Id, 204, causeText(204, ""));
  if (Call.Symbol != None)
    callSymbol(Id, Call.Symbol);
  if (Call.Callee != None)
    addUse(Call.Callee, {UseKind::Callee, Id});
}

/// The site may call that symbol: its definitions, else its model, else nobody knows.
void Worklist::callSymbol(Index Id, Index Symbol) {
  Site &Site = Sites[Id];
  if (!Site.Seen.insert(Symbol).second)
    return;
  const CallSite &Call = Site.Call;
  for (Index F : P.Definitions[Symbol])
    bind(Id, F);
  if (!P.Definitions[Symbol].empty())
    return;
  std::string Name = P.str(P.Symbols[Symbol].Name);
  if (!Call.Callback)
    S.ExternalCallees[Call.Root].push_back(Symbol);
  const Model *Model = Call.NoBuiltin || P.Redefined.contains(Name) ? nullptr : M.find(Name, Call.Args.size());
  if (!Model) {
    std::string Where = P.PlainFiles.lookup(Name);
    ReasonCode Code = Where.empty() ? 301 : 306;
    note(Code, "`" + Name + "` " + (Where.empty() ? "has no model" : "is not known"), Call.Loc);
    return callUnknown(Id, Code, causeText(Code, Name, Where));
  }
  LoweredEffects E = lowerEffects(P, *Model, Name, Call, Ids, [&] { return newNode(); });
  if (E.Allocates) {
    Index Heap = Ids.FirstHeap + Call.Root;
    S.HeapObject[Call.Root] = Heap;
    S.Objects[Heap].LibraryMade |= E.LibraryMade;
  }
  S.Roots.insert(S.Roots.end(), E.Roots.begin(), E.Roots.end());
  for (const Constraint &C : E.Constraints)
    constrain(C, None, Name);
  for (CallSite &C : E.Calls)
    addSite(std::move(C));
  if (Call.Spawn) // what the library function returns has no value of the program to be a root
    escapePointees(Ids.ThreadResults, cause(103, Call.Loc, causeText(103, "")));
}

void Worklist::callUnknown(Index Id, ReasonCode Code, const std::string &Text) {
  Sites[Id].Unknown = true;
  const CallSite &Call = Sites[Id].Call;
  Index Why = cause(Code, Call.Loc, Text);
  escapeObject(Ids.KeyCell, Why); // a key is a narrow number: whoever is told it reads on this thread what lies under it
  for (const CallArg &A : Call.Args)
    if (A.Value != None)
      escapePointees(A.Value, Why);
  if (Call.Result != None)
    setExternal(Call.Result);
}

/// Arguments and result by position, whatever the types.
void Worklist::bind(Index Id, Index F) {
  const CallSite &Call = Sites[Id].Call;
  if (!Call.Callback)
    F = P.calleeIn(Call.Root, F);
  const Function &Callee = P.Functions[F];
  Activations.push_back(F);
  if (!Call.Callback)
    S.Callees[Call.Root].push_back(F);
  for (size_t I = 0; I < Call.Args.size(); ++I) {
    Index V = Call.Args[I].Value;
    Index To = I < Callee.Params.size() ? Callee.Params[I] : Callee.Varargs;
    if (V == None)
      continue;
    if (To != None)
      addEdge(V, To);
    else
      escapePointees(V, cause(203, Call.Loc, causeText(203, P.str(P.Symbols[Callee.Symbol].Name))));
  }
  for (size_t I = 0; I < Callee.Params.size(); ++I)
    if (Callee.Params[I] != None && !passesWord(Call, I))
      setExternal(Callee.Params[I]);
  if (Call.Spawn && Callee.Result != None)
    S.Roots.push_back({Callee.Result, 103, Call.Loc, causeText(103, ""), Call.Root});
  if (Call.Result == None)
    return;
  if (Callee.Result != None)
    addEdge(Callee.Result, Call.Result);
  else if (!Call.Callback)
    setExternal(Call.Result);
}

void Worklist::activate(Index F) {
  if (S.Active[F])
    return;
  S.Active[F] = true;
  const Function &Fn = P.Functions[F];
  auto Look = [](ConstraintKind K) {
    return K == ConstraintKind::Load || K == ConstraintKind::Store || K == ConstraintKind::CopyMemory ||
           K == ConstraintKind::Difference;
  };
  for (Index I = Fn.FirstConstraint; I < Fn.LastConstraint; ++I) {
    constrain(P.Constraints[I], I, "");
    if (Look(P.Constraints[I].Kind))
      ActiveConstraints.push_back(I);
  }
  for (Index I = Fn.FirstCall; I < Fn.LastCall; ++I) {
    const Call &C = P.Calls[I];
    CallSite Site;
    Site.Root = I;
    Site.Symbol = C.Symbol;
    Site.Callee = C.Callee;
    Site.Args = C.Args;
    Site.Result = C.Result;
    Site.NoBuiltin = C.NoBuiltin;
    Site.Loc = C.Loc;
    addSite(std::move(Site));
  }
}

void Worklist::escapeFunction(Index F, Index Cause) {
  if (EscapedFunctions[F])
    return;
  EscapedFunctions[F] = true;
  Activations.push_back(F);
  for (Index V : P.Functions[F].Params)
    if (V != None)
      setExternal(V);
  if (P.Functions[F].Varargs != None)
    setExternal(P.Functions[F].Varargs);
  if (P.Functions[F].Result != None)
    escapePointees(P.Functions[F].Result, Cause);
}

/// What is active or visible from the start.
void Worklist::start() {
  add(Ids.KeyPointer, location(Ids.KeyCell, exactOffset(0)));
  add(Ids.PrivatePointer, location(Ids.PrivateMemory, exactOffset(0)));
  for (Index I : P.GlobalConstraints)
    constrain(P.Constraints[I], I, "");
  for (Index O = 0; O < P.Objects.size(); ++O) {
    Index Symbol = P.Objects[O].Symbol;
    if (Symbol == None)
      continue;
    bool Variable = P.Objects[O].Kind == ObjectKind::Variable;
    if (P.SymbolVisible[Symbol] || (Variable && P.Symbols[Symbol].Link == Linkage::Declared))
      escapeObject(O, cause(303, P.Objects[O].Loc, causeText(303, "")));
  }
  for (Index Symbol = 0; Symbol < P.Symbols.size(); ++Symbol) {
    const freehold::Symbol &Sym = P.Symbols[Symbol];
    bool Main = Sym.Link != Linkage::Internal && P.str(Sym.Name) == "main";
    for (Index F : P.Definitions[Symbol]) { // not the copies made for contexts: those are entered by their call alone
      const Function &Fn = P.Functions[F];
      if (P.SymbolVisible[Symbol] && !Main) // who calls it may have the number of a key, and runs on our threads
        escapeObject(Ids.KeyCell, cause(303, Fn.Loc, causeText(303, "")));
      if (P.SymbolVisible[Symbol] || Main || Fn.Constructor || Fn.Destructor)
        escapeFunction(F, cause(303, Fn.Loc, causeText(303, "")));
      if (Main && P.WholeProgram)
        note(901, "only main and what the outside is known to see is entered from outside", Fn.Loc);
    }
  }
}

void Worklist::process(Index N) {
  Node &Now = Nodes[N];
  Now.Queued = false;
  ++S.Stats.Steps;
  std::vector<Location> Delta = std::move(Now.Delta);
  Now.Delta.clear();
  bool External = Now.External && !Now.ExternalDone;
  Now.ExternalDone = Now.External;
  Work += Now.Edges.size() * Delta.size();
  for (size_t I = 0; I < Now.Edges.size(); ++I) {
    Edge E = Now.Edges[I];
    for (Location L : Delta)
      add(E.To, displaced(L, E.Disp));
    if (External && E.Externality)
      setExternal(E.To);
  }
  for (size_t I = 0; I < Now.Uses.size(); ++I) {
    Use U = Now.Uses[I];
    for (Location L : Delta)
      applyUse(U, L);
    if (External)
      applyExternal(U);
  }
}

void Worklist::propagate() {
  while (Work <= O.WorkLimit) {
    if (!Activations.empty()) {
      Index F = Activations.front();
      Activations.pop_front();
      activate(F);
    } else if (!NewWrites.empty()) {
      NewWrite W = NewWrites.front();
      NewWrites.pop_front();
      linkWrite(W);
    } else if (!Escapes.empty()) {
      auto [Object, Why] = Escapes.front();
      Escapes.pop_front();
      if (isFunction(Object))
        for (Index F : P.Definitions[P.Objects[Object].Symbol])
          escapeFunction(F, Why);
      Memory &Mem = Objects[Object];
      for (size_t I = 0; I < Mem.WriteList.size(); ++I)
        escapePointees(Mem.WriteList[I].Node, Why);
      for (size_t I = 0; I < Mem.ReadList.size(); ++I)
        setExternal(Mem.ReadList[I].Node);
      for (size_t I = 0; I < Mem.Copies.size(); ++I)
        copyFromExternal(CopyList[Mem.Copies[I].first]);
    } else if (!Queue.empty()) {
      Index N = Queue.front();
      Queue.pop_front();
      process(N);
    } else {
      return;
    }
  }
}

bool Worklist::disjoint(Index A, Index B) const {
  std::set<Index> Seen;
  for (Location L : Nodes[A].Pointees)
    Seen.insert(objectOf(L));
  for (Location L : Nodes[B].Pointees)
    if (Seen.count(objectOf(L)))
      return false;
  return true;
}

/// Counts written accesses that no other one of the same width covers.
bool Worklist::tooManyWrites(Index Object) const {
  const std::vector<AccessNode> &All = Objects[Object].WriteList;
  if (Objects[Object].Collapsed || All.size() <= O.FieldCap)
    return false;
  std::vector<Access> Wide;
  for (const AccessNode &W : All)
    if (!isExact(W.Where.Where))
      Wide.push_back(W.Where);
  unsigned Count = 0;
  for (const AccessNode &W : All) {
    bool Covered = std::any_of(Wide.begin(), Wide.end(), [&](const Access &A) {
      return A.Width == W.Where.Width && !(A.Where == W.Where.Where) && covers(A.Where, W.Where.Where);
    });
    Count += !Covered;
  }
  return Count > O.FieldCap;
}

/// One round at a fixpoint: everything is decided on the same sets, then all decisions are put into force.
bool Worklist::decide() {
  std::vector<Index> Constraints, Calls, Collapse;
  for (Index I : ActiveConstraints) {
    const Constraint &C = P.Constraints[I];
    if (Decided[I])
      continue;
    bool Now = false;
    if (C.Kind == ConstraintKind::Difference)
      Now = disjoint(C.Dst, C.Src);
    else if (C.Kind == ConstraintKind::Load)
      Now = isEmpty(C.Src);
    else if (C.Kind == ConstraintKind::Store)
      Now = isEmpty(C.Dst);
    else
      Now = isEmpty(C.Src) || isEmpty(C.Dst);
    if (Now)
      Constraints.push_back(I);
  }
  for (Index I = 0; I < Sites.size(); ++I)
    if (!Sites[I].Unknown && !Sites[I].AnyFunction && Sites[I].Call.Callee != None && !Nodes[Sites[I].Call.Callee].External)
      Calls.push_back(I);
  for (Index I = 0; I < Objects.size(); ++I)
    if (tooManyWrites(I))
      Collapse.push_back(I);
  if (Constraints.empty() && Calls.empty() && Collapse.empty())
    return false;
  std::vector<std::pair<bool, bool>> EmptyEnds; // of copies, before anything changes
  for (Index I : Constraints) {
    const Constraint &C = P.Constraints[I];
    bool Memory = C.Kind == ConstraintKind::CopyMemory;
    EmptyEnds.push_back({Memory && isEmpty(C.Src), Memory && isEmpty(C.Dst)});
  }
  for (size_t N = 0; N < Constraints.size(); ++N) {
    const Constraint &C = P.Constraints[Constraints[N]];
    Decided[Constraints[N]] = true;
    switch (C.Kind) {
    case ConstraintKind::Difference: {
      Index Why = cause(201, C.Loc, causeText(201, ""));
      escapePointees(C.Dst, Why);
      escapePointees(C.Src, Why);
      break;
    }
    case ConstraintKind::Load:
      setExternal(C.Dst);
      break;
    case ConstraintKind::Store:
      escapePointees(C.Src, cause(204, C.Loc, causeText(204, "")));
      break;
    default:
      if (EmptyEnds[N].first)
        copyFromExternal(CopyList[CopyOf[Constraints[N]]]);
      if (EmptyEnds[N].second)
        copyToExternal(CopyList[CopyOf[Constraints[N]]]);
    }
    if (C.Kind != ConstraintKind::Difference)
      note(204, "memory reached through a pointer that points to nothing known", C.Loc);
  }
  for (Index I : Calls) {
    callUnknown(I, 204, causeText(204, ""));
    note(204, "call through a pointer that points to nothing known", Sites[I].Call.Loc);
  }
  for (Index I : Collapse)
    collapse(I);
  return true;
}

void Worklist::extract() {
  for (Index V = 0; V < P.ValueNames.size(); ++V) {
    std::vector<Target> T;
    for (Location L : Nodes[V].Pointees)
      T.push_back({objectOf(L), offsetsOf(L)});
    std::sort(T.begin(), T.end(),
              [](const Target &A, const Target &B) { return A.Object != B.Object ? A.Object < B.Object : A.Where < B.Where; });
    S.Pointees.push_back(std::move(T));
    S.External.push_back(Nodes[V].External);
  }
  for (Index O = 0; O < Objects.size(); ++O) {
    std::set<Index> Contents;
    for (const AccessNode &W : Objects[O].WriteList)
      for (Location L : Nodes[W.Node].Pointees)
        Contents.insert(objectOf(L));
    S.Contents.emplace_back(Contents.begin(), Contents.end());
    if (!Objects[O].Escaped)
      continue;
    const Cause &Why = Causes[Objects[O].EscapeCause];
    S.Objects[O].Escaped = true;
    S.Objects[O].EscapeCode = Why.Code;
    S.Objects[O].EscapeLoc = Why.Loc;
    S.Objects[O].EscapeText = Why.Text;
  }
  for (auto *Lists : {&S.Callees, &S.ExternalCallees})
    for (std::vector<Index> &L : *Lists) {
      std::sort(L.begin(), L.end());
      L.erase(std::unique(L.begin(), L.end()), L.end());
    }
  S.Stats.Nodes = Nodes.size();
}

Solution Worklist::run() {
  start();
  do {
    ++S.Stats.Rounds;
    propagate();
    S.Finished = Work <= O.WorkLimit;
  } while (S.Finished && decide());
  if (!S.Finished)
    return std::move(S);
  extract();
  finishSolution(P, S);
  return std::move(S);
}

Solution solve(const Program &P, const Models &M, const SolverOptions &O) { return Worklist(P, M, O).run(); }

} // namespace freehold
