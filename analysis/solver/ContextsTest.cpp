// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ContextsTest.cpp - heap cloning: what is told apart, and what must not be.
#include "solver/Contexts.h"
#include "solver/ProgramBuilder.h"
#include <gtest/gtest.h>

using namespace freehold;
using K = ConstraintKind;

namespace {

class Contexts : public testing::Test {
protected:
  ProgramBuilder B;
  Index Main = B.function("main"), Malloc = B.external("malloc"), Size = B.value();
  ContextOptions O;
  Program P;
  Solution S;

  /// A function that returns what Callee returns.
  Index wrapper(const char *Name, Index Callee) {
    Index F = B.function(Name, 1, true, Linkage::Internal), V = B.value();
    B.call(F, Callee, {B.P.Functions[F].Params[0]}, V);
    B.add(F, K::Copy, B.P.Functions[F].Result, V);
    return F;
  }
  Index symbolOf(Index F) const { return B.P.Functions[F].Symbol; }
  Index callFromMain(Index Symbol, Index Callee = None) {
    Index V = B.value();
    B.call(Main, Symbol, {Size}, V, Callee);
    return V;
  }
  void run() {
    P = B.finish();
    Models M;
    ASSERT_EQ(llvm::toString(M.add("- {name: malloc, type: p(i), effects: [alloc r rewritable]}", "models")), "");
    S = solveInContexts(P, M, {}, O);
    ASSERT_EQ(compareSolutions(P, S, solveNaive(P, M)), "");
  }
  bool meet(Index A, Index B) const {
    for (const Target &T : S.pointsTo(A).known())
      for (const Target &U : S.pointsTo(B).known())
        if (T.Object == U.Object)
          return true;
    return false;
  }
};

TEST_F(Contexts, TwoCallsOfAWrapperGiveTwoBlocks) {
  Index W = wrapper("xmalloc", Malloc);
  Index A = callFromMain(symbolOf(W)), C = callFromMain(symbolOf(W));
  run();
  EXPECT_EQ(S.pointsTo(A).known().size(), 1u);
  EXPECT_FALSE(meet(A, C));
}

TEST_F(Contexts, DepthZeroTellsNothingApart) {
  Index W = wrapper("xmalloc", Malloc);
  Index A = callFromMain(symbolOf(W)), C = callFromMain(symbolOf(W));
  O.Depth = 0;
  run();
  EXPECT_TRUE(meet(A, C));
}

TEST_F(Contexts, WrappersOfWrappers) {
  Index W = wrapper("zcalloc", symbolOf(wrapper("xmalloc", Malloc)));
  Index A = callFromMain(symbolOf(W)), C = callFromMain(symbolOf(W));
  run();
  EXPECT_FALSE(meet(A, C));
}

TEST_F(Contexts, CallsThroughAPointer) {
  Index W = wrapper("zcalloc", Malloc);
  Index Pointer = B.address(Main, B.objectOf(W));
  Index A = callFromMain(None, Pointer), C = callFromMain(None, Pointer);
  run();
  EXPECT_FALSE(S.pointsTo(A).known().empty());
  EXPECT_FALSE(meet(A, C));
}

TEST_F(Contexts, ACachedBlockIsOne) {
  Index W = wrapper("cached", Malloc), Cache = B.variable("cache"), Result = B.P.Functions[W].Result;
  B.store(W, B.address(W, Cache), Result);
  B.add(W, K::Copy, Result, B.load(W, B.address(W, Cache)));
  Index A = callFromMain(symbolOf(W)), C = callFromMain(symbolOf(W));
  run();
  EXPECT_TRUE(meet(A, C));
}

TEST_F(Contexts, AStackSlotOfTheWrapperIsPerContext) {
  Index W = B.function("out", 1, true, Linkage::Internal), V = B.value();
  Index Slot = B.address(W, B.stack(W));
  B.call(W, Malloc, {B.P.Functions[W].Params[0]}, V);
  B.store(W, Slot, V);
  B.add(W, K::Copy, B.P.Functions[W].Result, B.load(W, Slot));
  Index A = callFromMain(symbolOf(W)), C = callFromMain(symbolOf(W));
  run();
  EXPECT_FALSE(S.pointsTo(A).known().empty());
  EXPECT_FALSE(meet(A, C));
}

TEST_F(Contexts, RecursionEnds) {
  Index W = B.function("again", 1, true, Linkage::Internal), V = B.value(), Inner = B.value();
  B.call(W, Malloc, {B.P.Functions[W].Params[0]}, V);
  B.call(W, symbolOf(W), {B.P.Functions[W].Params[0]}, Inner);
  B.add(W, K::Copy, B.P.Functions[W].Result, V);
  B.add(W, K::Copy, B.P.Functions[W].Result, Inner);
  Index A = callFromMain(symbolOf(W)), C = callFromMain(symbolOf(W));
  run();
  EXPECT_TRUE(meet(A, C)); // both reach the original through the inner call
}

TEST_F(Contexts, OverTheWorkLimitTheCoarserAnswerHolds) {
  Index W = wrapper("xmalloc", Malloc);
  Index A = callFromMain(symbolOf(W)), C = callFromMain(symbolOf(W));
  P = B.finish();
  Models M;
  ASSERT_EQ(llvm::toString(M.add("- {name: malloc, type: p(i), effects: [alloc r rewritable]}", "models")), "");
  SolverOptions Limited;
  for (Limited.WorkLimit = 1; !solve(P, M, Limited).Finished; ++Limited.WorkLimit)
    ;
  EXPECT_GT(Limited.WorkLimit, 1u);
  size_t Functions = P.Functions.size();
  S = solveInContexts(P, M, Limited, O);
  EXPECT_TRUE(S.Finished);
  EXPECT_TRUE(meet(A, C));
  EXPECT_EQ(P.Functions.size(), Functions);
}

} // namespace
