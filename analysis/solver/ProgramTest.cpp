// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ProgramTest.cpp - which definitions count when modules are merged.
#include "solver/Program.h"
#include <gtest/gtest.h>

using namespace freehold;

namespace {

Index string(Module &M, const std::string &S) {
  M.Strings.push_back(S);
  return M.Strings.size() - 1;
}

Index declare(Module &M, const std::string &Name, Linkage L = Linkage::Declared) {
  Symbol S;
  S.Name = string(M, Name);
  S.Link = L;
  M.Symbols.push_back(S);
  return M.Symbols.size() - 1;
}

/// A function with one value, its result, and one constraint that makes it external.
Index define(Module &M, const std::string &Name, Linkage L, uint64_t Tag = 0) {
  Index S = declare(M, Name, L);
  Function F;
  F.Symbol = S;
  F.Tag = Tag;
  F.Result = M.ValueNames.size();
  M.ValueNames.push_back(None);
  F.FirstConstraint = M.Constraints.size();
  Constraint C;
  C.Kind = ConstraintKind::External;
  C.Dst = F.Result;
  M.Constraints.push_back(C);
  F.LastConstraint = M.FirstGlobalConstraint = M.Constraints.size();
  M.Symbols[S].Function = M.Functions.size();
  M.Functions.push_back(F);
  return S;
}

Index variable(Module &M, const std::string &Name, Linkage L, uint64_t Size = 8) {
  Index S = declare(M, Name, L);
  Object O;
  O.Kind = ObjectKind::Variable;
  O.Symbol = S;
  O.Size = Size;
  M.Symbols[S].Object = M.Objects.size();
  M.Objects.push_back(O);
  return S;
}

std::vector<uint64_t> tags(const Program &P, const std::string &Name) {
  std::vector<uint64_t> T;
  for (Index F : P.Definitions[P.SymbolByName.lookup(Name)])
    T.push_back(P.Functions[F].Tag);
  return T;
}
using Tags = std::vector<uint64_t>;

struct Two {
  Module A, B;
  Resolution R;
  Program merge() { return mergeModules({A, B}, R); }
};

TEST(Program, AStrongDefinitionVoidsAWeakOne) {
  Two T;
  define(T.A, "f", Linkage::Weak, 1);
  define(T.B, "f", Linkage::External, 2);
  Program P = T.merge();
  EXPECT_EQ(tags(P, "f"), Tags{2});
  EXPECT_EQ(P.Functions.size(), 1u);
  EXPECT_EQ(P.Constraints.size(), 1u);
}

TEST(Program, TheDefinitionThatPrevailedCounts) {
  Two T;
  define(T.A, "f", Linkage::Weak, 1);
  define(T.B, "f", Linkage::Weak, 2);
  EXPECT_EQ(tags(T.merge(), "f"), Tags{1});
  T.R.Symbols["f"].PrevailingTag = 2;
  EXPECT_EQ(tags(T.merge(), "f"), Tags{2});
  T.R.Symbols["f"].PrevailingTag = 3;
  EXPECT_EQ(tags(T.merge(), "f"), Tags{});
}

TEST(Program, WhatIsDefinedOutsideIsExternal) {
  Two T;
  define(T.A, "f", Linkage::External, 1);
  define(T.A, "g", Linkage::ODR, 2);
  variable(T.B, "v", Linkage::External);
  for (const char *Name : {"f", "g", "v"})
    T.R.Symbols[Name].DefinedOutside = true;
  Program P = T.merge();
  EXPECT_TRUE(tags(P, "f").empty() && tags(P, "g").empty());
  EXPECT_EQ(P.Symbols[P.SymbolByName.lookup("v")].Link, Linkage::Declared);
}

TEST(Program, RedefinedNamesHaveNoDefinition) {
  Two T;
  define(T.A, "malloc", Linkage::External, 1);
  T.R.Redefined.insert("malloc");
  Program P = T.merge();
  EXPECT_TRUE(tags(P, "malloc").empty());
  EXPECT_TRUE(P.Redefined.contains("malloc"));
}

TEST(Program, AllODRCopiesCountAndCopiesForInliningNever) {
  Two T;
  define(T.A, "f", Linkage::ODR, 1);
  define(T.B, "f", Linkage::ODR, 2);
  define(T.B, "g", Linkage::AvailableExternally, 3);
  Program P = T.merge();
  EXPECT_EQ(tags(P, "f"), (Tags{1, 2}));
  EXPECT_TRUE(tags(P, "g").empty());
}

TEST(Program, InternalSymbolsStayApart) {
  Two T;
  define(T.A, "f", Linkage::Internal, 1);
  define(T.B, "f", Linkage::Internal, 2);
  declare(T.B, "g");
  Program P = T.merge();
  EXPECT_EQ(P.Functions.size(), 2u);
  EXPECT_NE(P.Functions[0].Symbol, P.Functions[1].Symbol);
  EXPECT_EQ(P.SymbolByName.count("f"), 0u);
  EXPECT_NE(P.Functions[0].Result, P.Functions[1].Result);
}

TEST(Program, VariablesOfOneNameAreOneObjectOfTheLargestSize) {
  Two T;
  variable(T.A, "v", Linkage::Common, 8);
  variable(T.B, "v", Linkage::Declared, 64);
  Program P = T.merge();
  ASSERT_EQ(P.Objects.size(), 1u);
  EXPECT_EQ(*P.Objects[0].Size, 64u);
  EXPECT_EQ(P.Symbols[P.Objects[0].Symbol].Link, Linkage::Common);
}

TEST(Program, AnAliasIsWhatItStandsForUnlessItLost) {
  Two T;
  Index F = define(T.A, "f", Linkage::Internal, 1);
  Index G = declare(T.A, "g", Linkage::Weak);
  T.A.Symbols[G].Aliasee = F;
  declare(T.B, "g");
  EXPECT_EQ(tags(T.merge(), "g"), Tags{1});
  T.R.Symbols["g"].VisibleOutside = true;
  Program P = T.merge();
  EXPECT_TRUE(P.SymbolVisible[P.Functions[0].Symbol]);
  T.R.Symbols["g"].DefinedOutside = true;
  EXPECT_TRUE(tags(T.merge(), "g").empty());
}

/// `Name`, an alias of To.
Index alias(Module &M, const std::string &Name, Linkage L, Index To) {
  Index S = declare(M, Name, L);
  M.Symbols[S].Aliasee = To;
  return S;
}

TEST(Program, AnAliasPrevailsByTheTagOfItsFunction) {
  Two T;
  alias(T.A, "g", Linkage::External, define(T.A, "f", Linkage::External, 1));
  declare(T.B, "g");
  T.R.Symbols["g"].PrevailingTag = 1;
  EXPECT_EQ(tags(T.merge(), "g"), Tags{1});
  T.R.Symbols["g"].PrevailingTag = 2; // another definition's
  EXPECT_TRUE(tags(T.merge(), "g").empty());
}

TEST(Program, OfTwoWeakAliasesTheTagTells) {
  Two T;
  alias(T.A, "g", Linkage::Weak, define(T.A, "a", Linkage::Internal, 1));
  alias(T.B, "g", Linkage::Weak, define(T.B, "b", Linkage::Internal, 2));
  T.R.Symbols["g"].PrevailingTag = 2;
  EXPECT_EQ(tags(T.merge(), "g"), Tags{2});
}

TEST(Program, AnAliasKeepsTheBodyThatLostItsName) {
  Two T;
  alias(T.A, "g", Linkage::External, define(T.A, "f", Linkage::Weak, 1));
  define(T.B, "f", Linkage::External, 2);
  EXPECT_EQ(tags(T.merge(), "g"), Tags{1});
  EXPECT_EQ(tags(T.merge(), "f"), Tags{2});
  T.R.Symbols["f"].DefinedOutside = true;
  EXPECT_EQ(tags(T.merge(), "g"), Tags{1});
  EXPECT_TRUE(tags(T.merge(), "f").empty());
}

TEST(Program, AWeakAliasOfAVariableAmongOthersIsOpenToAll) {
  Two T;
  Index V = variable(T.A, "v", Linkage::External);
  alias(T.A, "w", Linkage::Weak, V);
  variable(T.B, "w", Linkage::Weak);
  Program P = T.merge();
  EXPECT_TRUE(P.SymbolVisible[P.SymbolByName.lookup("v")]);
  EXPECT_TRUE(P.SymbolVisible[P.SymbolByName.lookup("w")]);
}

TEST(Program, AResolverRunsAndItsFunctionIsExternal) {
  Two T;
  Index F = define(T.A, "resolve", Linkage::Internal, 1);
  Index G = declare(T.A, "g", Linkage::External);
  T.A.Symbols[G].Aliasee = F;
  T.A.Symbols[G].IFunc = true;
  Program P = T.merge();
  EXPECT_TRUE(tags(P, "g").empty());
  EXPECT_TRUE(P.SymbolVisible[P.Functions[0].Symbol]);
}

TEST(Program, UsedSymbolsAndUnreadAssemblyAreVisible) {
  Two T;
  Index F = define(T.A, "f", Linkage::Internal, 1);
  T.A.Symbols[F].Used = true;
  define(T.B, "g", Linkage::Internal, 2);
  T.B.CodeUnknown = true;
  define(T.A, "h", Linkage::External, 3);
  Program P = T.merge();
  for (const Function &Fn : P.Functions)
    EXPECT_EQ(P.SymbolVisible[Fn.Symbol], Fn.Tag != 3);
}

TEST(Program, WithoutMainItIsALibrary) {
  Module M;
  define(M, "f", Linkage::External);
  Index H = define(M, "h", Linkage::External);
  M.Symbols[H].Hidden = true;
  declare(M, "ext");
  Resolution R = defaultResolution(M);
  EXPECT_FALSE(R.WholeProgram);
  EXPECT_TRUE(R.Symbols.lookup("f").VisibleOutside);
  EXPECT_FALSE(R.Symbols.count("h") || R.Symbols.count("ext"));
  define(M, "main", Linkage::External);
  EXPECT_TRUE(defaultResolution(M).WholeProgram);
}

TEST(Program, CallsAndSitesFollowTheirFunction) {
  Two T;
  for (Module *M : {&T.A, &T.B}) {
    Index Callee = declare(*M, "malloc");
    define(*M, "f", Linkage::Weak, M == &T.A ? 1 : 2);
    Call C;
    C.Symbol = Callee;
    C.Site = 0;
    M->Calls.push_back(C);
    M->Sites.emplace_back();
    M->Sites[0].Id = M == &T.A ? 10 : 20;
    M->Sites[0].Callee = string(*M, "malloc");
    M->Functions[0].LastCall = 1;
  }
  T.R.Symbols["f"].PrevailingTag = 2;
  Program P = T.merge();
  ASSERT_EQ(P.Calls.size(), 1u);
  ASSERT_EQ(P.Sites.size(), 1u);
  EXPECT_EQ(P.Sites[0].Id, 20u);
  EXPECT_EQ(P.str(P.Sites[0].Callee), "malloc");
  EXPECT_EQ(P.Calls[0].Symbol, P.SymbolByName.lookup("malloc"));
}

} // namespace
