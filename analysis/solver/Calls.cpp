// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls.cpp - see Calls.h.
#include "solver/Calls.h"
#include <algorithm>

namespace freehold {

Calls::Calls(const Program &P, const Models &M, const SolverOptions &O, const SolverIds &Ids, Constrainer &C, Solution &S)
    : P(P), M(M), O(O), Ids(Ids), C(C), S(S), EscapedFunctions(P.Functions.size()) {}

void escapeLibraryMemory(Domain &D, const SolverIds &Ids, Index Cause) {
  D.escape(Ids.KeyCell, Cause); // a key is a narrow number: whoever is told it reads on this thread what lies under it
  D.escape(Ids.PrivateMemory, Cause);
  D.setExternal(Ids.ThreadResults);
}

void Calls::note(ReasonCode Code, const std::string &Text, SourceLoc Loc) {
  auto [It, New] = NoteIds.try_emplace(Text, S.NoteTexts.size());
  if (New)
    S.NoteTexts.push_back(Text);
  S.Notes.push_back({Code, It->second, Loc});
}

void Calls::addSite(CallSite New, Index Parent) {
  Index Id = Sites.size();
  Sites.emplace_back();
  Sites[Id].Call = std::move(New);
  Sites[Id].Parent = Parent;
  const CallSite &Call = Sites[Id].Call;
  if (Parent != None)
    Sites[Id].ParentSymbol = Call.Path[Call.Path.size() - 2];
  if (Call.Depth > MaxCallbackDepth)
    return callUnknown(Id, 204, causeText(204, ""));
  if (Call.Symbol != None)
    callSymbol(Id, Call.Symbol);
  if (Call.Callee != None)
    D->callThrough(Call.Callee, Id);
}

void Calls::callFunction(Index Id, Index Object) {
  Sites[Id].AnyFunction = true;
  callSymbol(Id, P.Objects[Object].Symbol);
}

/// The site may call that symbol: its definitions, else its model, else nobody knows.
void Calls::callSymbol(Index Id, Index Symbol) {
  std::vector<Index> &Seen = Sites[Id].Symbols;
  auto At = std::lower_bound(Seen.begin(), Seen.end(), Symbol);
  if (At != Seen.end() && *At == Symbol)
    return;
  Seen.insert(At, Symbol);
  for (Index F : P.Definitions[Symbol])
    bind(Id, Symbol, F);
  if (!P.Definitions[Symbol].empty())
    return;
  const CallSite &Call = Sites[Id].Call;
  std::string Name = P.str(P.Symbols[Symbol].Name);
  const Model *Known = Call.NoBuiltin || P.Redefined.contains(Name) ? nullptr : M.find(Name, Call.Args.size());
  if (Known)
    return applyModel(Id, Symbol, *Known, Name);
  Library.push_back({Id, Symbol, false, false, {}});
  if (O.Stress)
    return;
  std::string Where = P.PlainFiles.lookup(Name);
  ReasonCode Code = Where.empty() ? 301 : 306;
  note(Code, "`" + Name + "` " + (Where.empty() ? "has no model" : "is not known"), Call.Loc);
  callUnknown(Id, Code, causeText(Code, Name, Where));
}

void Calls::applyModel(Index Id, Index Symbol, const Model &Known, llvm::StringRef Name) {
  NodeName Path;
  Path.K = NodeName::Temporary;
  Path.Path = Sites[Id].Call.Path;
  Path.Path.push_back(Symbol);
  Path.Path.push_back(0);
  LoweredEffects E = lowerEffects(P, Known, Name, Sites[Id].Call, Ids, [&] {
    Temporaries.push_back(Path);
    ++Path.Path.back();
    return D->newTemporary(Temporaries.size() - 1);
  });
  Library.push_back({Id, Symbol, E.Allocates, E.LibraryMade, E.Roots});
  for (const Constraint &One : E.Constraints) {
    C.constrain(One, None, Name, Path);
    ++Path.Path.back(); // tells the copies of one model apart
  }
  Path.Path.back() = 0;
  for (CallSite &Made : E.Calls) {
    Made.Path = Path.Path;
    ++Path.Path.back();
    addSite(std::move(Made), Id);
  }
  if (Sites[Id].Call.Spawn) // what the library function returns has no value of the program to be a root
    D->escapePointees(Ids.ThreadResults, D->cause(103, Sites[Id].Call.Loc, causeText(103, "")));
}

void Calls::callExternal(Index Id) {
  const CallSite &Call = Sites[Id].Call;
  D->escape(Ids.FirstHeap + Call.Root, D->cause(204, Call.Loc, causeText(204, "")));
  for (const CallArg &A : Call.Args)
    if (A.Value != None)
      D->flow(A.Value, Ids.Outside);
  if (Call.Result != None) {
    D->flow(Ids.Outside, Call.Result);
    D->point(Call.Result, Ids.FirstHeap + Call.Root, exactOffset(0)); // of whoever allocates: absorbed
  }
  D->flow(Ids.Outside, Ids.ThreadResults);
  callUnknown(Id, 204, causeText(204, ""));
}

void Calls::callUnknown(Index Id, ReasonCode Code, const std::string &Text) {
  Sites[Id].Unknown = true;
  const CallSite &Call = Sites[Id].Call;
  Index Why = D->cause(Code, Call.Loc, Text);
  escapeLibraryMemory(*D, Ids, Why);
  for (const CallArg &A : Call.Args)
    if (A.Value != None)
      D->escapePointees(A.Value, Why);
  if (Call.Result != None)
    D->setExternal(Call.Result);
}

/// Arguments and result by position, whatever the types.
void Calls::bind(Index Id, Index Symbol, Index F) {
  const CallSite &Call = Sites[Id].Call;
  if (!Call.Callback)
    F = P.calleeIn(Call.Root, F);
  const Function &Callee = P.Functions[F];
  Activations.push_back(F);
  Bound.push_back({Id, Symbol, F});
  for (size_t I = 0; I < Call.Args.size(); ++I) {
    Index V = Call.Args[I].Value;
    Index To = I < Callee.Params.size() ? Callee.Params[I] : Callee.Varargs;
    if (V == None)
      continue;
    if (To != None)
      D->flow(V, To);
    else if (!O.Stress)
      D->escapePointees(V, D->cause(203, Call.Loc, causeText(203, P.str(P.Symbols[Callee.Symbol].Name))));
  }
  for (size_t I = 0; I < Callee.Params.size() && !O.Stress; ++I)
    if (Callee.Params[I] != None && !passesWord(Call, I))
      D->setExternal(Callee.Params[I]);
  if (Call.Result == None)
    return;
  if (Callee.Result != None)
    D->flow(Callee.Result, Call.Result);
  else if (!Call.Callback && !O.Stress)
    D->setExternal(Call.Result);
}

void Calls::activate(Index F) {
  if (S.Active[F])
    return;
  S.Active[F] = true;
  const Function &Fn = P.Functions[F];
  auto Look = [](ConstraintKind K) {
    return K == ConstraintKind::Load || K == ConstraintKind::Store || K == ConstraintKind::CopyMemory ||
           K == ConstraintKind::Difference;
  };
  for (Index I = Fn.FirstConstraint; I < Fn.LastConstraint; ++I) {
    C.constrain(P.Constraints[I], I, "", {});
    if (Look(P.Constraints[I].Kind))
      ActiveConstraints.push_back({I, F});
  }
  for (Index I = Fn.FirstCall; I < Fn.LastCall; ++I)
    addSite(siteOf(P, I));
}

bool Calls::step() {
  if (Activations.empty())
    return false;
  Index F = Activations.front();
  Activations.pop_front();
  activate(F);
  return true;
}

void Calls::escapedFunction(Index Object, Index Cause) {
  for (Index F : P.Definitions[P.Objects[Object].Symbol])
    escapeFunction(F, Cause);
}

void Calls::escapeFunction(Index F, Index Cause) {
  if (EscapedFunctions[F])
    return;
  EscapedFunctions[F] = true;
  Activations.push_back(F);
  for (Index V : P.Functions[F].Params)
    if (V != None)
      D->flow(Ids.Outside, V);
  if (P.Functions[F].Varargs != None)
    D->flow(Ids.Outside, P.Functions[F].Varargs);
  if (P.Functions[F].Result == None)
    return;
  D->escapePointees(P.Functions[F].Result, Cause);
  D->flow(P.Functions[F].Result, Ids.Outside);
}

void Calls::start() {
  if (!O.Stress)
    D->setExternal(Ids.Outside);
  for (Index Object = 0; Object < P.Objects.size(); ++Object)
    if (Index Symbol = P.Objects[Object].Symbol; Symbol != None) {
      bool Elsewhere = P.Objects[Object].Kind == ObjectKind::Variable && P.Symbols[Symbol].Link == Linkage::Declared;
      if (P.SymbolVisible[Symbol] || Elsewhere)
        D->escape(Object, D->cause(303, P.Objects[Object].Loc, causeText(303, "")));
    }
  for (Index Symbol = 0; Symbol < P.Symbols.size(); ++Symbol) {
    const freehold::Symbol &Sym = P.Symbols[Symbol];
    bool Main = Sym.Link != Linkage::Internal && P.str(Sym.Name) == "main";
    for (Index F : P.Definitions[Symbol]) { // not the copies made for contexts: those are entered by their call alone
      const Function &Fn = P.Functions[F];
      Index Why = D->cause(303, Fn.Loc, causeText(303, ""));
      if (P.SymbolVisible[Symbol] && !Main) // who calls it may have the number of a key, and runs on our threads
        escapeLibraryMemory(*D, Ids, Why);
      if (P.SymbolVisible[Symbol] || Main || Fn.Constructor || Fn.Destructor)
        escapeFunction(F, Why);
      if (Main && P.WholeProgram)
        note(901, "only main and what the outside is known to see is entered from outside", Fn.Loc);
    }
  }
}

std::vector<Index> Calls::emptySites(const std::vector<bool> &Active) const {
  std::vector<Index> Empty;
  for (Index I = 0; I < Sites.size(); ++I)
    if (const Site &At = Sites[I]; Active[P.Calls[At.Call.Root].Function] && counts(I) && !At.Unknown && !At.AnyFunction &&
                                   At.Call.Callee != None && !D->isExternal(At.Call.Callee) && !O.Stress)
      Empty.push_back(I);
  return Empty;
}

void Calls::callNothing(Index Site) {
  callUnknown(Site, 204, causeText(204, ""));
  note(204, "call through a pointer that points to nothing known", Sites[Site].Call.Loc);
}

bool Calls::counts(Index Id, Index Symbol) const {
  const Site &At = Sites[Id];
  if (!counts(Id))
    return false;
  bool Direct = At.Call.Symbol == Symbol;
  return Direct || !D->isExternal(At.Call.Callee) || P.Symbols[Symbol].Object == None || !D->escaped(P.Symbols[Symbol].Object);
}

std::vector<bool> Calls::activeFunctions() const {
  std::vector<bool> Active = EscapedFunctions;
  std::vector<std::vector<Index>> Entered(P.Functions.size()); // by calls of a function
  for (auto [Id, Symbol, F] : Bound)
    if (counts(Id, Symbol))
      Entered[P.Calls[Sites[Id].Call.Root].Function].push_back(F);
  std::vector<Index> Queue;
  for (Index F = 0; F < P.Functions.size(); ++F)
    if (Active[F])
      Queue.push_back(F);
  while (!Queue.empty()) {
    Index From = Queue.back();
    Queue.pop_back();
    for (Index F : Entered[From])
      if (!Active[F]) {
        Active[F] = true;
        Queue.push_back(F);
      }
  }
  return Active;
}

void Calls::extract() {
  S.Active = activeFunctions();
  auto In = [&](Index Site) { return S.Active[P.Calls[Sites[Site].Call.Root].Function]; };
  S.Callees.resize(P.Calls.size());
  S.ExternalCallees.resize(P.Calls.size());
  S.FormerCallees.resize(P.Calls.size());
  S.CallsEscaped.assign(P.Calls.size(), false);
  S.HeapObject.assign(P.Calls.size(), None);
  for (Index Id = 0; Id < Sites.size(); ++Id)
    if (const Site &At = Sites[Id]; In(Id) && At.Parent == None && At.Call.Callee != None && D->isExternal(At.Call.Callee))
      S.CallsEscaped[At.Call.Root] = true;
  for (auto [Id, Symbol, F] : Bound) {
    const CallSite &Call = Sites[Id].Call;
    if (!In(Id))
      continue;
    if (!counts(Id, Symbol)) {
      if (!Call.Callback)
        S.FormerCallees[Call.Root].push_back(F);
      continue;
    }
    if (!Call.Callback)
      S.Callees[Call.Root].push_back(F);
    if (Index Result = P.Functions[F].Result; Call.Spawn && Result != None)
      S.Roots.push_back({Result, 103, Call.Loc, causeText(103, ""), Call.Root});
  }
  for (const Made &L : Library) {
    if (!In(L.Site) || !counts(L.Site, L.Symbol))
      continue;
    const CallSite &Call = Sites[L.Site].Call;
    if (!Call.Callback)
      S.ExternalCallees[Call.Root].push_back(L.Symbol);
    S.Roots.insert(S.Roots.end(), L.Roots.begin(), L.Roots.end());
    if (!L.Allocates)
      continue;
    S.HeapObject[Call.Root] = Ids.FirstHeap + Call.Root;
    S.Objects[Ids.FirstHeap + Call.Root].LibraryMade |= L.LibraryMade;
  }
  for (auto *Lists : {&S.Callees, &S.ExternalCallees, &S.FormerCallees})
    for (std::vector<Index> &L : *Lists) {
      std::sort(L.begin(), L.end());
      L.erase(std::unique(L.begin(), L.end()), L.end());
    }
}

} // namespace freehold
