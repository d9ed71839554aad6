// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SummaryTest.cpp - the builder says what it must about single instructions.
#include "summary/SummaryBuilder.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>

using namespace freehold;
using K = ConstraintKind;

namespace {

struct Built {
  llvm::LLVMContext Context;
  std::unique_ptr<llvm::Module> IR;
  Module M;
  explicit Built(llvm::StringRef Text) {
    llvm::SMDiagnostic Problem;
    IR = llvm::parseAssemblyString(Text, Problem, Context);
    if (!IR) {
      ADD_FAILURE() << Problem.getMessage().str() << " line " << Problem.getLineNo();
      IR = std::make_unique<llvm::Module>("empty", Context);
    }
    assignIds(*IR);
    M = buildSummary(*IR);
  }
  /// Constraints of functions; not those of constants and initialisers.
  unsigned count(K Kind) const {
    llvm::ArrayRef<Constraint> OfFunctions = llvm::ArrayRef(M.Constraints).take_front(M.FirstGlobalConstraint);
    return llvm::count_if(OfFunctions, [&](const Constraint &C) { return C.Kind == Kind; });
  }
  const Constraint *first(K Kind) const {
    auto It = llvm::find_if(M.Constraints, [&](const Constraint &C) { return C.Kind == Kind; });
    return It == M.Constraints.end() ? nullptr : &*It;
  }
};

constexpr char Sample[] = R"(
declare ptr @malloc(i64)
declare void @use(ptr)
@g = global ptr @table
@table = internal constant [2 x ptr] [ptr null, ptr @f]
define ptr @f(i64 %n, ptr %q) {
  %p = call ptr @malloc(i64 24)
  %e = getelementptr [8 x ptr], ptr %q, i64 0, i64 %n
  store ptr %p, ptr %e
  call void @use(ptr %p)
  ret ptr %p
})";

TEST(Builder, SiteHasIdSizeAndCallee) {
  Built B(Sample);
  ASSERT_EQ(B.M.Sites.size(), 1u);
  EXPECT_EQ(B.M.Sites[0].Size, 24u);
  EXPECT_EQ(B.M.str(B.M.Sites[0].Callee), "malloc");
  EXPECT_NE(B.M.Sites[0].Id, 0u);
}

TEST(Builder, VariableIndexIsAStride) {
  Built B(Sample);
  const Constraint *D = B.first(K::Displace);
  ASSERT_TRUE(D);
  EXPECT_EQ(D->Disp.Stride, 8u);
  EXPECT_EQ(B.count(K::Indexed), 1u); // %n is a parameter and may hold a difference of addresses
}

TEST(Builder, ArrayMemberIsBoundedUnlessFirstOrLast) {
  Built Middle(
      "define void @f(ptr %p, i32 %i) {\n %a = getelementptr { ptr, [4 x i32], ptr }, ptr %p, i64 0, i32 1\n ret void }");
  ASSERT_TRUE(Middle.first(K::Displace));
  EXPECT_EQ(Middle.first(K::Displace)->Disp.Length, 16u);
  Built First("define void @f(ptr %p, i32 %i) {\n %a = getelementptr { [4 x i32], ptr }, ptr %p, i64 0, i32 0\n ret void }");
  EXPECT_FALSE(First.first(K::Displace));
  Built Last("define void @f(ptr %p) {\n %a = getelementptr { ptr, [4 x i32] }, ptr %p, i64 0, i32 1\n ret void }");
  ASSERT_TRUE(Last.first(K::Displace));
  EXPECT_EQ(Last.first(K::Displace)->Disp.Length, 0u);
}

TEST(Builder, ShiftedAddressEscapes) {
  Built B("define i64 @f(ptr %p) {\n %i = ptrtoint ptr %p to i64\n %s = lshr i64 %i, 4\n ret i64 %s }");
  ASSERT_TRUE(B.first(K::Escape));
  EXPECT_EQ(B.first(K::Escape)->Code, 201);
}

TEST(Builder, LowBitsDoNotEscape) {
  Built B("define i64 @f(ptr %p) {\n %i = ptrtoint ptr %p to i64\n %s = and i64 %i, 7\n ret i64 %s }");
  EXPECT_FALSE(B.first(K::Escape));
}

TEST(Builder, TruncatedDifferenceIsLeftToTheSolver) {
  Built B("define i32 @f(ptr %p, ptr %q) {\n %i = ptrtoint ptr %p to i64\n %j = ptrtoint ptr %q to i64\n"
          " %d = sub i64 %i, %j\n %t = trunc i64 %d to i32\n ret i32 %t }");
  EXPECT_FALSE(B.first(K::Escape));
  EXPECT_EQ(B.count(K::Difference), 1u);
}

TEST(Builder, ADistanceGivenToALibraryIsLeftToTheSolver) {
  Built B("declare void @far(i64, i64)\ndefine void @near(i64 %n) {\n ret void }\n"
          "define void @f(ptr %p, ptr %q) {\n %i = ptrtoint ptr %p to i64\n %j = ptrtoint ptr %q to i64\n"
          " %d = sub i64 %i, %j\n %x = xor i64 %i, %j\n call void @far(i64 %d, i64 %x)\n call void @near(i64 %d)\n ret void }");
  EXPECT_EQ(B.count(K::Difference), 1u);
  ASSERT_EQ(B.M.Calls.size(), 2u);
  EXPECT_TRUE(B.M.Calls[0].Args[0].Distance);
  EXPECT_FALSE(B.M.Calls[0].Args[1].Distance);
  EXPECT_FALSE(B.M.Calls[1].Args[0].Distance);
}

TEST(Builder, TheLengthOfACopyIsSeenInTheCopy) {
  const char *Copy = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n"
                     "define void @f(ptr %p, ptr %q) {\n %i = ptrtoint ptr %p to i64\n %j = ptrtoint ptr %q to i64\n"
                     " %n = OP i64 %i, %j\n call void @llvm.memset.p0.i64(ptr %p, i8 1, i64 %n, i1 false)\n ret void }";
  auto With = [&](const char *Op) { return std::string(Copy).replace(std::string(Copy).find("OP"), 2, Op); };
  Built Mixed(With("xor").c_str());
  EXPECT_TRUE(Mixed.first(K::Escape));
  Built Distance(With("sub").c_str());
  EXPECT_FALSE(Distance.first(K::Escape));
  EXPECT_EQ(Distance.count(K::Difference), 1u);
}

TEST(Builder, PointerFromControlFlowIsExternal) {
  Built B("define ptr @f(i1 %c) {\n %n = select i1 %c, i64 4096, i64 8192\n %p = inttoptr i64 %n to ptr\n ret ptr %p }");
  EXPECT_EQ(B.count(K::External), 1u);
}

TEST(Builder, NarrowLoadAndStoreAreSaid) {
  Built B("define void @f(ptr %p, ptr %q) {\n %b = load i8, ptr %p\n store i8 %b, ptr %q\n ret void }");
  EXPECT_EQ(B.count(K::NarrowLoad), 1u);
  EXPECT_EQ(B.count(K::UntrackedStore), 1u);
}

TEST(Builder, AssemblyEscapesUnlessEmpty) {
  Built Nop("define void @f(ptr %p) {\n call void asm sideeffect \"nop\", \"r,~{memory}\"(ptr %p)\n ret void }");
  ASSERT_TRUE(Nop.first(K::Escape));
  EXPECT_EQ(Nop.first(K::Escape)->Code, 202);
  Built Empty("define ptr @f(ptr %p) {\n %q = call ptr asm \"\", \"=r,0\"(ptr %p)\n ret ptr %q }");
  EXPECT_FALSE(Empty.first(K::Escape));
  EXPECT_FALSE(Empty.first(K::External));
}

TEST(Builder, UnknownIntrinsicFallsUnderTheDefaultRule) {
  Built B("declare ptr @llvm.coro.begin(token, ptr)\ndeclare token @llvm.coro.id(i32, ptr, ptr, ptr)\n"
          "define ptr @f(ptr %m) {\n %i = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)\n"
          " %h = call ptr @llvm.coro.begin(token %i, ptr %m)\n ret ptr %h }");
  EXPECT_GE(B.count(K::Escape), 1u);
  EXPECT_GE(B.count(K::External), 1u);
}

TEST(Builder, DirectOperatorNewIsASiteToo) {
  Built B("declare ptr @_Znwm(i64)\ndefine ptr @f() {\n %a = call ptr @_Znwm(i64 8)\n %b = call ptr @_Znwm(i64 8) builtin\n ret "
          "ptr %b }");
  EXPECT_EQ(B.M.Sites.size(), 2u);
}

TEST(Builder, SharedOperandsDoNotCostExponentialTime) {
  std::string Text = "define i64 @f(i32 %x) {\n %v0 = zext i32 %x to i64\n";
  for (unsigned I = 1; I <= 64; ++I) {
    std::string Before = "%v" + std::to_string(I - 1);
    Text += " %v" + std::to_string(I) + " = add i64 " + Before + ", " + Before + "\n";
  }
  Built B(Text + " ret i64 %v64 }");
  EXPECT_EQ(B.count(K::Copy), 1u); // the result alone
}

TEST(Builder, DefinedMallocIsNoSite) {
  Built B("define ptr @malloc(i64 %n) {\n ret ptr null }\ndefine ptr @f() {\n %a = call ptr @malloc(i64 8)\n ret ptr %a }");
  EXPECT_TRUE(B.M.Sites.empty());
}

TEST(Builder, IdsDoNotDependOnTheModulesPath) {
  std::string Body = "declare ptr @malloc(i64)\ndefine linkonce_odr ptr @f() {\n %a = call ptr @malloc(i64 8)\n ret ptr %a }";
  Built A("source_filename = \"/one/a.c\"\n" + Body), B("source_filename = \"/two/b.c\"\n" + Body);
  ASSERT_EQ(A.M.Sites.size(), 1u);
  ASSERT_EQ(B.M.Sites.size(), 1u);
  EXPECT_EQ(A.M.Sites[0].Id, B.M.Sites[0].Id);
  EXPECT_NE(A.M.Functions[0].Tag, B.M.Functions[0].Tag);
}

} // namespace
