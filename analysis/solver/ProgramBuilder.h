// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ProgramBuilder.h - hand-made Programs for tests: functions, values, constraints and calls in any order, then finish().
#pragma once

#include "solver/Solver.h"

namespace freehold {

class ProgramBuilder {
public:
  /// A function with a body. Its symbol and object have its name.
  Index function(const std::string &Name, unsigned Params = 0, bool Result = false, Linkage Link = Linkage::External) {
    Function F;
    F.Symbol = symbol(Name, Link);
    F.SourceName = P.Symbols[F.Symbol].Name;
    for (unsigned I = 0; I < Params; ++I)
      F.Params.push_back(value());
    if (Result)
      F.Result = value();
    P.Functions.push_back(F);
    P.Definitions[F.Symbol].push_back(P.Functions.size() - 1);
    Bodies.emplace_back();
    return P.Functions.size() - 1;
  }
  /// A function that is only declared.
  Index external(const std::string &Name) { return symbol(Name, Linkage::Declared); }
  Index value() {
    P.ValueNames.push_back(None);
    return P.ValueNames.size() - 1;
  }
  Index stack(Index F) {
    Object O;
    O.Kind = ObjectKind::Stack;
    O.Function = F;
    P.Objects.push_back(O);
    return P.Objects.size() - 1;
  }
  Index variable(const std::string &Name, Linkage Link = Linkage::Internal) {
    Index S = string(Name);
    Symbol Sym;
    Sym.Name = S;
    Sym.Link = Link;
    Sym.Object = P.Objects.size();
    P.Symbols.push_back(Sym);
    P.SymbolVisible.push_back(false);
    P.Definitions.emplace_back();
    Object O;
    O.Kind = ObjectKind::Variable;
    O.Symbol = P.Symbols.size() - 1;
    P.Objects.push_back(O);
    return Sym.Object;
  }
  Index objectOf(Index Function) const { return P.Symbols[P.Functions[Function].Symbol].Object; }

  Constraint &add(Index F, ConstraintKind Kind, Index Dst, Index Src, uint64_t Width = 8) {
    Constraint C;
    C.Kind = Kind;
    C.Dst = Dst;
    C.Src = Src;
    C.Width = Width;
    std::vector<Constraint> &Body = F == None ? Globals : Bodies[F].Constraints;
    Body.push_back(C);
    return Body.back();
  }
  /// The value that holds the address of Object + Offset.
  Index address(Index F, Index Object, int64_t Offset = 0) {
    Index V = value();
    add(F, ConstraintKind::AddressOf, V, Object).Disp.Offset = Offset;
    return V;
  }
  Index load(Index F, Index From, uint64_t Width = 8) {
    Index V = value();
    add(F, ConstraintKind::Load, V, From, Width);
    return V;
  }
  Index displaced(Index F, Index From, Displacement D) {
    Index V = value();
    add(F, ConstraintKind::Displace, V, From).Disp = D;
    return V;
  }
  void store(Index F, Index To, Index What) { add(F, ConstraintKind::Store, To, What); }
  Call &call(Index F, Index Symbol, std::vector<Index> Args, Index Result = None, Index Callee = None) {
    Call C;
    C.Symbol = Symbol;
    C.Callee = Callee;
    C.Result = Result;
    for (Index A : Args) {
      C.Args.emplace_back();
      C.Args.back().Value = A;
    }
    Bodies[F].Calls.push_back(C);
    return Bodies[F].Calls.back();
  }
  Index string(const std::string &S) {
    P.Strings.push_back(S);
    return P.Strings.size() - 1;
  }
  void show(Index Symbol) { P.SymbolVisible[Symbol] = true; }

  Program finish() {
    for (Index F = 0; F < P.Functions.size(); ++F) {
      P.Functions[F].FirstConstraint = P.Constraints.size();
      P.Constraints.insert(P.Constraints.end(), Bodies[F].Constraints.begin(), Bodies[F].Constraints.end());
      P.Functions[F].LastConstraint = P.Constraints.size();
      P.Functions[F].FirstCall = P.Calls.size();
      for (Call &C : Bodies[F].Calls) {
        C.Function = F;
        P.Calls.push_back(C);
      }
      P.Functions[F].LastCall = P.Calls.size();
    }
    for (const Constraint &C : Globals) {
      P.GlobalConstraints.push_back(P.Constraints.size());
      P.Constraints.push_back(C);
    }
    return P;
  }
  Program P;

private:
  struct Body {
    std::vector<Constraint> Constraints;
    std::vector<Call> Calls;
  };
  std::vector<Body> Bodies;
  std::vector<Constraint> Globals;

  Index symbol(const std::string &Name, Linkage Link) {
    Symbol Sym;
    Sym.Name = string(Name);
    Sym.Link = Link;
    Sym.Object = P.Objects.size();
    Object O;
    O.Kind = ObjectKind::Function;
    O.Symbol = P.Symbols.size();
    P.Objects.push_back(O);
    P.Symbols.push_back(Sym);
    P.SymbolVisible.push_back(false);
    P.Definitions.emplace_back();
    P.SymbolByName[Name] = P.Symbols.size() - 1;
    return P.Symbols.size() - 1;
  }
};

} // namespace freehold
