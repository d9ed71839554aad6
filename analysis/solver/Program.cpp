// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Program.cpp - merges the modules of a link into one Program.
//
// Order of work: symbols (unify names, decide which definitions count, resolve aliases), then objects, functions, constraints and
// calls of what counts. Everything goes by module order and position, so the result is deterministic.
#include "solver/Program.h"
#include <algorithm>

namespace freehold {

static bool isDefinition(const Symbol &S) { return S.Link != Linkage::Declared && S.Link != Linkage::AvailableExternally; }

Resolution defaultResolution(llvm::ArrayRef<Module> Modules) {
  Resolution R;
  R.WholeProgram = false;
  for (const Module &M : Modules)
    for (const Symbol &S : M.Symbols)
      if (S.Link != Linkage::Internal && isDefinition(S) && S.Function != None && M.str(S.Name) == "main")
        R.WholeProgram = true;
  if (R.WholeProgram)
    return R;
  for (const Module &M : Modules)
    for (const Symbol &S : M.Symbols)
      if (S.Link != Linkage::Internal && !S.Hidden && isDefinition(S))
        R.Symbols[M.str(S.Name)].VisibleOutside = true;
  return R;
}

namespace {

/// One module's symbol with that name.
struct Candidate {
  Index Module, Symbol;
};

class Merger {
public:
  Merger(llvm::ArrayRef<Module> Modules, const Resolution &R) : Modules(Modules), R(R), Maps(Modules.size()) {}
  Program run();

private:
  /// Global ids of a module's things; None: left out.
  struct Map {
    std::vector<Index> Strings, Symbols, Objects, Functions, Calls;
    Index FirstValue = 0;
    llvm::DenseMap<Index, Index> Kept; ///< a function's symbol that lost its name: the symbol of the body, which an alias keeps
  };
  llvm::ArrayRef<Module> Modules;
  const Resolution &R;
  Program P;
  std::vector<Map> Maps;
  llvm::StringMap<Index> StringIds;
  std::vector<std::vector<Candidate>> Candidates; ///< per global symbol
  std::vector<std::vector<bool>> Counts;          ///< per module and symbol: this definition counts
  Index FirstKept = 0;                            ///< from here on: bodies without a name of their own (Map::Kept)
  std::vector<Index> Canonical;                   ///< per global symbol: itself, or what the alias stands for

  static Index at(const std::vector<Index> &V, Index I) { return I == None ? None : V[I]; }
  void mergeStrings();
  void unifySymbols();
  bool codeMatches(const Candidate &C, uint64_t Tag) const;
  void decide(Index Global);
  bool isAmbiguous(Index Global) const;
  Index aliasTarget(const Candidate &C);
  void resolveAliases();
  void showVisible();
  void mergeObjects();
  Index mergeSymbolObject(Index Global, const Object &O);
  void mergeFunctions(Index M);
  void mergeConstraints(Index M, Index First, Index Last);
  void mergeCalls(Index M, const Function &F, Index Owner);
  void finishSymbols();
  SourceLoc loc(Index M, SourceLoc L) const {
    L.File = at(Maps[M].Strings, L.File);
    return L;
  }
  Index value(Index M, Index V) const { return V == None ? None : Maps[M].FirstValue + V; }
  Index symbol(Index M, Index S) const { return S == None ? None : Canonical[Maps[M].Symbols[S]]; }
  /// The symbol that a definition's body goes by.
  Index bodySymbol(Index M, Index S) const {
    auto It = Maps[M].Kept.find(S);
    return It == Maps[M].Kept.end() ? symbol(M, S) : It->second;
  }
  bool counts(Index M, Index S) const { return S != None && (Counts[M][S] || Maps[M].Kept.count(S)); }
  const Symbol &symbolOf(const Candidate &C) const { return Modules[C.Module].Symbols[C.Symbol]; }
};

void Merger::mergeStrings() {
  for (Index M = 0; M < Modules.size(); ++M)
    for (const std::string &S : Modules[M].Strings) {
      auto [It, New] = StringIds.try_emplace(S, P.Strings.size());
      if (New)
        P.Strings.push_back(S);
      Maps[M].Strings.push_back(It->second);
    }
}

void Merger::unifySymbols() {
  for (Index M = 0; M < Modules.size(); ++M) {
    Counts.emplace_back(Modules[M].Symbols.size(), false);
    for (Index I = 0; I < Modules[M].Symbols.size(); ++I) {
      const Symbol &S = Modules[M].Symbols[I];
      Index Global = P.Symbols.size();
      if (S.Link != Linkage::Internal)
        Global = P.SymbolByName.try_emplace(Modules[M].str(S.Name), Global).first->second;
      if (Global == P.Symbols.size()) {
        P.Symbols.emplace_back();
        P.Symbols.back().Name = at(Maps[M].Strings, S.Name);
        Candidates.emplace_back();
      }
      Maps[M].Symbols.push_back(Global);
      Candidates[Global].push_back({M, I});
    }
  }
}

bool Merger::codeMatches(const Candidate &C, uint64_t Tag) const {
  const Module &M = Modules[C.Module];
  const Symbol &S = M.Symbols[C.Symbol];
  Index F = S.Aliasee != None && !S.IFunc ? M.Symbols[S.Aliasee].Function : S.Function;
  return F != None && M.Functions[F].Tag == Tag;
}

/// Of several equal definitions one is an alias of a variable: nothing in the IR tells whose won, and what the name means.
bool Merger::isAmbiguous(Index Global) const {
  unsigned Strong = 0, Weak = 0;
  bool Alias = false;
  for (const Candidate &C : Candidates[Global]) {
    const Symbol &S = symbolOf(C);
    if (!isDefinition(S) || S.Function != None)
      continue;
    Strong += S.Link == Linkage::External || S.Link == Linkage::Common;
    Weak += S.Link == Linkage::Weak || S.Link == Linkage::ODR;
    Alias |= S.Aliasee != None && !S.IFunc && Modules[C.Module].Symbols[S.Aliasee].Function == None;
  }
  return Alias && (Strong ? Strong : Weak) > 1;
}

/// Which of the definitions of one symbol count. See Program.h.
void Merger::decide(Index Global) {
  const std::string &Name = P.Strings[P.Symbols[Global].Name];
  if (symbolOf(Candidates[Global][0]).Link == Linkage::Internal) {
    Counts[Candidates[Global][0].Module][Candidates[Global][0].Symbol] = true;
    return;
  }
  auto It = R.Symbols.find(Name);
  SymbolResolution S = It == R.Symbols.end() ? SymbolResolution() : It->second;
  if (S.DefinedOutside || R.Redefined.contains(Name) || isAmbiguous(Global))
    return;
  if (R.AllDefinitions) {
    for (const Candidate &C : Candidates[Global])
      Counts[C.Module][C.Symbol] = isDefinition(symbolOf(C));
    return;
  }
  const Candidate *Strong = nullptr, *Weak = nullptr;
  bool AnyVariable = false;
  for (const Candidate &C : Candidates[Global]) {
    const Symbol &Sym = symbolOf(C);
    if (!isDefinition(Sym))
      continue;
    if (Sym.Link == Linkage::ODR || (S.PrevailingTag != 0 && codeMatches(C, S.PrevailingTag)))
      Counts[C.Module][C.Symbol] = true;
    if (!Strong && (Sym.Link == Linkage::External || Sym.Link == Linkage::Common))
      Strong = &C;
    if (!Weak && Sym.Link == Linkage::Weak)
      Weak = &C;
    AnyVariable |= Sym.Function == None && Sym.Aliasee == None;
  }
  if (S.PrevailingTag != 0 && !AnyVariable)
    return;
  bool AnyODR = std::any_of(Candidates[Global].begin(), Candidates[Global].end(),
                            [&](const Candidate &C) { return symbolOf(C).Link == Linkage::ODR; });
  if (const Candidate *Winner = Strong ? Strong : AnyODR ? nullptr : Weak)
    Counts[Winner->Module][Winner->Symbol] = true;
}

/// An alias is a second name of its own module's definition, also where another module's took the first name.
Index Merger::aliasTarget(const Candidate &C) {
  const Module &M = Modules[C.Module];
  Index Local = symbolOf(C).Aliasee, Global = Maps[C.Module].Symbols[Local];
  if (Counts[C.Module][Local] || M.Symbols[Local].Function == None)
    return Global; // a variable is one object for all that bears its name
  auto [It, New] = Maps[C.Module].Kept.try_emplace(Local, P.Symbols.size());
  if (New) {
    P.Symbols.emplace_back();
    P.Symbols.back().Name = P.Symbols[Global].Name;
    Candidates.push_back({{C.Module, Local}});
  }
  return It->second;
}

void Merger::resolveAliases() {
  FirstKept = P.Symbols.size();
  std::vector<Index> Target(P.Symbols.size(), None);
  for (Index G = 0; G < FirstKept; ++G)
    for (Index I = 0; I < Candidates[G].size(); ++I) {
      const Candidate C = Candidates[G][I];
      const Symbol &S = symbolOf(C);
      if (!Counts[C.Module][C.Symbol] || S.Aliasee == None)
        continue;
      if (P.Symbols[G].Aliasee == None) {
        Index To = S.IFunc ? Maps[C.Module].Symbols[S.Aliasee] : aliasTarget(C);
        P.Symbols[G].Aliasee = To;
        P.Symbols[G].IFunc = S.IFunc;
      }
      if (!S.IFunc && Target[G] == None)
        Target[G] = P.Symbols[G].Aliasee;
    }
  Target.resize(P.Symbols.size(), None);
  Canonical.resize(P.Symbols.size());
  for (Index G = 0; G < P.Symbols.size(); ++G) {
    Index Now = G;
    for (unsigned Steps = 0; Target[Now] != None && Steps < 64; ++Steps)
      Now = Target[Now];
    Canonical[G] = Target[Now] == None ? Now : G; // a cycle stands for nothing
  }
}

/// What the outside reaches. An alias shows what it stands for; a resolver is run by the loader.
void Merger::showVisible() {
  P.SymbolVisible.assign(P.Symbols.size(), false);
  auto Show = [&](Index Global) { P.SymbolVisible[Global] = P.SymbolVisible[Canonical[Global]] = true; };
  for (Index G = 0; G < P.Symbols.size(); ++G) {
    bool Internal = G >= FirstKept || symbolOf(Candidates[G][0]).Link == Linkage::Internal;
    auto It = Internal ? R.Symbols.end() : R.Symbols.find(P.Strings[P.Symbols[G].Name]);
    if (It != R.Symbols.end() && (It->second.VisibleOutside || It->second.DefinedOutside))
      Show(G);
    for (const Candidate &C : Candidates[G])
      if (symbolOf(C).Used || Modules[C.Module].CodeUnknown)
        Show(G);
    if (P.Symbols[G].IFunc && P.Symbols[G].Aliasee != None)
      Show(P.Symbols[G].Aliasee);
    if (isAmbiguous(G)) {
      Show(G);
      for (const Candidate &C : Candidates[G])
        if (symbolOf(C).Aliasee != None)
          Show(Maps[C.Module].Symbols[symbolOf(C).Aliasee]);
    }
  }
}

Index Merger::mergeSymbolObject(Index Global, const Object &O) {
  Index &Id = P.Symbols[Global].Object;
  if (Id == None) {
    Id = P.Objects.size();
    P.Objects.push_back(O);
    P.Objects.back().Symbol = Global;
    return Id;
  }
  Object &Old = P.Objects[Id];
  if (O.Size && (!Old.Size || *Old.Size < *O.Size))
    Old.Size = O.Size;
  Old.Constant |= O.Constant; // only a definition that nothing can replace says so
  if (O.Kind != Old.Kind || O.ThreadLocal != Old.ThreadLocal) {
    P.SymbolVisible[Global] = true; // the modules do not agree what it is
    Old.ThreadLocal = false;
  }
  if (Old.Loc.Line == 0)
    Old.Loc = O.Loc;
  return Id;
}

void Merger::mergeObjects() {
  for (Index M = 0; M < Modules.size(); ++M)
    for (const Object &Old : Modules[M].Objects) {
      Object O = Old;
      O.Name = at(Maps[M].Strings, O.Name);
      O.Loc = loc(M, O.Loc);
      O.Function = at(Maps[M].Functions, O.Function);
      Index Id = None;
      if (O.Symbol != None)
        Id = mergeSymbolObject(symbol(M, Old.Symbol), O);
      else if (O.Kind != ObjectKind::Stack || O.Function != None) {
        Id = P.Objects.size();
        P.Objects.push_back(O);
      }
      Maps[M].Objects.push_back(Id);
    }
}

void Merger::mergeConstraints(Index M, Index First, Index Last) {
  for (Index I = First; I < Last; ++I) {
    Constraint C = Modules[M].Constraints[I];
    C.Dst = value(M, C.Dst);
    C.Src = C.Kind == ConstraintKind::AddressOf ? at(Maps[M].Objects, C.Src) : value(M, C.Src);
    C.Loc = loc(M, C.Loc);
    P.Constraints.push_back(C);
  }
}

void Merger::mergeCalls(Index M, const Function &F, Index Owner) {
  for (Index I = F.FirstCall; I < F.LastCall; ++I) {
    Call C = Modules[M].Calls[I];
    C.Function = Owner;
    C.Symbol = symbol(M, C.Symbol);
    C.Callee = value(M, C.Callee);
    C.Result = value(M, C.Result);
    C.Loc = loc(M, C.Loc);
    for (CallArg &A : C.Args) {
      A.Value = value(M, A.Value);
      A.String = at(Maps[M].Strings, A.String);
    }
    Index Id = P.Calls.size();
    Maps[M].Calls[I] = Id;
    if (C.Site != None) {
      Site S = Modules[M].Sites[C.Site];
      S.Call = Id;
      S.Callee = at(Maps[M].Strings, S.Callee);
      S.Function = Owner;
      C.Site = P.Sites.size();
      P.Sites.push_back(S);
    }
    P.Calls.push_back(std::move(C));
  }
}

void Merger::mergeFunctions(Index M) {
  const Module &Mod = Modules[M];
  for (Index I = 0; I < Mod.Functions.size(); ++I) {
    Index Id = Maps[M].Functions[I];
    if (Id == None)
      continue;
    Function F = Mod.Functions[I];
    Index FirstConstraint = P.Constraints.size(), FirstCall = P.Calls.size();
    mergeConstraints(M, F.FirstConstraint, F.LastConstraint);
    mergeCalls(M, F, Id);
    F.FirstConstraint = FirstConstraint;
    F.LastConstraint = P.Constraints.size();
    F.FirstCall = FirstCall;
    F.LastCall = P.Calls.size();
    F.Symbol = bodySymbol(M, F.Symbol);
    F.SourceName = at(Maps[M].Strings, F.SourceName);
    F.Loc = loc(M, F.Loc);
    for (Index &V : F.Params)
      V = value(M, V);
    F.Result = value(M, F.Result);
    F.Varargs = value(M, F.Varargs);
    P.Functions[Id] = std::move(F);
    P.Definitions[P.Functions[Id].Symbol].push_back(Id);
  }
}

/// Linkage of the definition that counts, or Declared; aliases share their target's definitions and object.
void Merger::finishSymbols() {
  for (Index G = 0; G < P.Symbols.size(); ++G) {
    Symbol &S = P.Symbols[G];
    S.Link = G >= FirstKept ? Linkage::Internal : Linkage::Declared;
    unsigned Different = 0;
    for (const Candidate &C : Candidates[G]) {
      const Symbol &From = symbolOf(C);
      Different += Counts[C.Module][C.Symbol] && From.Link != Linkage::ODR;
      if (Counts[C.Module][C.Symbol] && S.Link == Linkage::Declared) {
        S.Link = From.Link;
        S.Hidden = From.Hidden;
      }
      S.Used |= From.Used;
    }
    if (Different > 1 && S.Object != None)
      P.Objects[S.Object].Constant = false; // what one of them holds the other may not
    if (Canonical[G] != G) {
      P.Definitions[G] = P.Definitions[Canonical[G]];
      S.Object = P.Symbols[Canonical[G]].Object;
    }
    S.Function = P.Definitions[G].empty() ? None : P.Definitions[G][0];
  }
}

Program Merger::run() {
  P.WholeProgram = R.WholeProgram;
  for (const auto &Name : R.Redefined)
    P.Redefined.insert(Name.getKey());
  P.PlainFiles = R.PlainFiles;
  mergeStrings();
  unifySymbols();
  for (Index G = 0; G < P.Symbols.size(); ++G)
    decide(G);
  resolveAliases();
  showVisible();
  P.Definitions.resize(P.Symbols.size());
  for (Index M = 0; M < Modules.size(); ++M) {
    const Module &Mod = Modules[M];
    Maps[M].FirstValue = P.ValueNames.size();
    for (Index Name : Mod.ValueNames)
      P.ValueNames.push_back(at(Maps[M].Strings, Name));
    for (const Function &F : Mod.Functions) {
      bool Keep = counts(M, F.Symbol);
      Maps[M].Functions.push_back(Keep ? Index(P.Functions.size()) : None);
      if (Keep)
        P.Functions.emplace_back();
    }
    Maps[M].Calls.assign(Mod.Calls.size(), None);
    P.Frees += Mod.Frees;
  }
  mergeObjects();
  for (Index M = 0; M < Modules.size(); ++M) {
    mergeFunctions(M);
    Index First = P.Constraints.size();
    mergeConstraints(M, Modules[M].FirstGlobalConstraint, Modules[M].Constraints.size());
    for (Index I = First; I < P.Constraints.size(); ++I)
      P.GlobalConstraints.push_back(I);
    for (Note N : Modules[M].Notes) {
      N.Text = at(Maps[M].Strings, N.Text);
      N.Loc = loc(M, N.Loc);
      P.Notes.push_back(N);
    }
  }
  finishSymbols();
  return std::move(P);
}

} // namespace

Program mergeModules(llvm::ArrayRef<Module> Modules, const Resolution &R) { return Merger(Modules, R).run(); }

} // namespace freehold
