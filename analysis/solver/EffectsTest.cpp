// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// EffectsTest.cpp - what a model's classes do to arguments, contents and results: dies, exposed, fresh, external. Both solvers
// solve each test and must agree.
#include "solver/ProgramBuilder.h"
#include <gtest/gtest.h>

using namespace freehold;
using K = ConstraintKind;

namespace {

/// main calls library functions with the address of one variable, which may hold another one's.
class Effects : public testing::Test {
protected:
  ProgramBuilder B;
  Index Main = B.function("main");
  Index Outer = B.variable("outer"), Inner = B.variable("inner");
  Index Address = B.address(Main, Outer);
  Program P;
  Solution S;

  Effects() { B.store(Main, Address, B.address(Main, Inner)); }
  Call &call(const char *Name, std::vector<Index> Args, Index Result = None) {
    return B.call(Main, B.external(Name), std::move(Args), Result);
  }
  void run(const char *Text) {
    P = B.finish();
    Models M;
    ASSERT_EQ(llvm::toString(M.add(Text, "models")), "");
    std::string Error;
    S = solveChecked(P, M, {}, Error);
    ASSERT_EQ(Error, "");
  }
  ReasonCode escape(Index Object) const { return S.Objects[Object].Escaped ? S.Objects[Object].EscapeCode : 0; }
  bool points(Index V, Index Object) const { return S.pointsTo(V).contains(Object); }
};

TEST_F(Effects, WhatNoEffectClassesIsExposed) {
  Index Result = B.value();
  call("f", {Address, None}, Result);
  run("- {name: f, type: i(pi), effects: [dies a1]}");
  EXPECT_EQ(escape(Outer), 203);
  EXPECT_EQ(escape(Inner), 203);
  EXPECT_TRUE(S.isExternal(Result));
}

TEST_F(Effects, AReturnedPointerIsNotClassedInWhatItLeadsTo) {
  Index Result = B.value();
  call("f", {Address}, Result);
  run("- {name: f, type: p(p), effects: [returns a0]}");
  EXPECT_EQ(escape(Outer), 203);
  EXPECT_TRUE(points(Result, Outer));
}

TEST_F(Effects, AReturnedNumberNeedsNoMore) {
  Index Result = B.value();
  call("f", {Address}, Result);
  run("- {name: f, type: i(i), effects: [returns a0]}");
  EXPECT_EQ(escape(Outer), 0);
  EXPECT_TRUE(points(Result, Outer));
}

TEST_F(Effects, ANarrowParameterThatGetsAWordIsExposed) {
  Index Result = B.value();
  call("f", {Address}, Result);
  run("- {name: f, type: n(n), effects: [nothing]}");
  EXPECT_EQ(escape(Outer), 203);
  EXPECT_TRUE(S.isExternal(Result));
}

TEST_F(Effects, WhatDiesDoesNoHarm) {
  Index Result = B.value();
  call("f", {Address, Address, Address}, Result);
  run("- {name: f, type: i(pp.), effects: [reads a0, dies a1 ..., returns scalar]}");
  EXPECT_EQ(escape(Outer), 0);
  EXPECT_EQ(escape(Inner), 0);
  EXPECT_FALSE(S.isExternal(Result));
}

TEST_F(Effects, AnonymousArgumentsAreExposedUnlessTheModelSaysMore) {
  call("f", {None, Address});
  run("- {name: f, type: n(p.), effects: [dies a0]}");
  EXPECT_EQ(escape(Outer), 203);
}

TEST_F(Effects, ExposingANumberSparesDistances) {
  Index Other = B.variable("other"), Distance = B.address(Main, Other);
  call("f", {Address, Distance}).Args[1].Distance = true;
  run("- {name: f, type: n(ii), effects: [exposes a0 a1]}");
  EXPECT_EQ(escape(Outer), 201);
  EXPECT_EQ(escape(Other), 0);
}

TEST_F(Effects, BytesOutTakesTheContentsAndNotTheAddress) {
  call("f", {Address});
  run("- {name: f, type: n(p), effects: [bytes-out a0 FH305]}");
  EXPECT_EQ(escape(Outer), 0);
  EXPECT_EQ(escape(Inner), 305);
}

TEST_F(Effects, BytesOutAndBytesInKeepToTheirSize) {
  Index Far = B.variable("far");
  B.store(Main, B.address(Main, Outer, 16), B.address(Main, Far));
  Index Near = B.load(Main, Address), Behind = B.load(Main, B.address(Main, Outer, 16));
  call("f", {Address});
  run("- {name: f, type: n(p), effects: [bytes-out a0 size=16, bytes-in a0 size=16]}");
  EXPECT_EQ(escape(Inner), 304);
  EXPECT_EQ(escape(Far), 0);
  EXPECT_TRUE(S.isExternal(Near));
  EXPECT_FALSE(S.isExternal(Behind));
}

TEST_F(Effects, ASlotThatHeldAPointerReadsAsExternalOnceASettableNumberIsWrittenThere) {
  Index Fresh = B.variable("fresh"), Slot = B.address(Main, Fresh);
  Index Set = B.load(Main, Address), Filled = B.load(Main, Slot);
  call("get", {Address});
  call("lock", {Slot});
  run("- {name: get, type: n(p), effects: [bytes-in a0 size=8]}\n- {name: lock, type: n(p), effects: [fills a0]}");
  EXPECT_TRUE(S.isExternal(Set) && points(Set, Inner));
  EXPECT_FALSE(S.isExternal(Filled));
}

const char Printf[] = "- {name: printf, type: n(p.), effects: [format a0 args=1 FH304]}\n"
                      "- {name: sprintf, type: n(pp.), effects: [format a1 args=2, writes a0]}";

TEST_F(Effects, AStringThatIsPrintedLeavesWithItsCode) {
  Index Other = B.variable("other"), Held = B.variable("held"), Text = B.address(Main, Other), Into = B.value();
  B.store(Main, Text, B.address(Main, Held));
  call("printf", {B.value(), Address}).Args[0].String = B.string("%-8s\n");
  call("sprintf", {Into, B.value(), Text}).Args[1].String = B.string("%.3S");
  run(Printf);
  EXPECT_EQ(escape(Inner), 304);
  EXPECT_EQ(escape(Held), 201);
  EXPECT_EQ(escape(Outer), 0);
}

TEST_F(Effects, WidthsAndPrecisionsArePrinted) {
  Index Width = B.variable("width");
  call("printf", {B.value(), B.address(Main, Width), Address}).Args[0].String = B.string("%.*s");
  run(Printf);
  EXPECT_EQ(escape(Width), 201);
  EXPECT_EQ(escape(Inner), 304);
}

TEST_F(Effects, AFormatThatIsNoConstantIsPrintedItself) {
  Index Other = B.variable("other");
  call("printf", {Address, B.address(Main, Other)});
  run(Printf);
  EXPECT_EQ(escape(Inner), 304);
  EXPECT_EQ(escape(Other), 203);
}

const char Keys[] = "- {name: set, type: n(np), effects: [key-set a1]}\n- {name: load, type: n(), effects: [enters-library]}";

TEST_F(Effects, ALibraryThatIsEnteredReadsWhatKeysHold) {
  call("set", {None, Address});
  call("load", {});
  run(Keys);
  EXPECT_EQ(escape(Outer), 301);
}

TEST_F(Effects, WhoeverCallsAVisibleFunctionReadsWhatKeysHold) {
  Index Shown = B.function("shown");
  B.call(Shown, B.external("set"), {None, Address});
  B.show(B.P.Functions[Shown].Symbol);
  run(Keys);
  EXPECT_EQ(escape(Outer), 303);
}

TEST_F(Effects, ThatMainIsVisibleSaysNothingOfKeys) {
  call("set", {None, Address});
  B.show(B.P.Functions[Main].Symbol);
  run(Keys);
  EXPECT_EQ(escape(Outer), 0);
}

} // namespace
