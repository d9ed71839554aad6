// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SolverTest.cpp - one rule a test on hand-made Programs; each is solved by both solvers, which must agree.
#include "solver/Effects.h"
#include "solver/ProgramBuilder.h"
#include <gtest/gtest.h>
#include <set>

using namespace freehold;
using K = ConstraintKind;

namespace {

const char ModelText[] = R"yaml(
- {name: malloc, type: p(i), effects: [alloc r rewritable]}
- {name: strdup, type: p(p), effects: [alloc r]}
- {name: realloc, type: p(pi), effects: [realloc r a0 rewritable]}
- {name: free, type: v(p), effects: [frees a0]}
- {name: spawn, type: i(fp), effects: [spawns a0(a1), writes a1]}
- {name: exit_thread, type: v(p), effects: [exits-thread a0]}
- {name: join, type: i(p), effects: ["joins *a0"]}
- {name: putenv, type: i(p), effects: [keeps a0]}
- {name: write, type: i(p), effects: [bytes-out a0]}
- {name: read, type: i(p), effects: [bytes-in a0]}
- {name: memcpy, type: p(ppi), effects: ["copies *a1 to *a0 size=a2", returns a0]}
- {name: strchr, type: p(p), effects: ["returns a0+?"]}
- {name: apply, type: v(fp), effects: ["calls a0(a1)"]}
- {name: setspecific, type: i(p), effects: [key-set a0]}
- {name: getspecific, type: p(), effects: [key-get]}
- {name: key_create, type: i(f), effects: [key-dtor a0]}
- {name: printf, type: i(p.), effects: [format a0 args=1]}
)yaml";

/// A program with a main, and questions about its solution.
class Solver : public testing::Test {
protected:
  ProgramBuilder B;
  Index Main = B.function("main");
  SolverOptions O;
  Program P;
  Solution S;

  void run() {
    P = B.finish();
    Models M;
    ASSERT_EQ(llvm::toString(M.add(ModelText, "models")), "");
    std::string Error;
    S = solveChecked(P, M, O, Error);
    ASSERT_EQ(Error, "");
  }
  bool points(Index V, Index Object) const { return S.pointsTo(V).contains(Object); }
  bool root(Index V, ReasonCode Code) const {
    for (const ThreadRoot &R : S.Roots)
      if (R.Value == V && R.Code == Code)
        return true;
    return false;
  }
  ReasonCode escape(Index Object) const { return S.Objects[Object].Escaped ? S.Objects[Object].EscapeCode : 0; }
  Index malloc(Index F) {
    Index V = B.value();
    B.call(F, B.external("malloc"), {None}, V);
    return V;
  }
};

TEST_F(Solver, CopiesAndDisplacesAddresses) {
  Index G = B.variable("g"), A = B.address(Main, G, 8), C = B.value();
  B.add(Main, K::Copy, C, A);
  Index D = B.displaced(Main, C, {8, 0, 0});
  run();
  ASSERT_EQ(S.pointsTo(D).known().size(), 1u);
  EXPECT_EQ(S.pointsTo(D).known()[0].Where.Base, 16);
  EXPECT_FALSE(S.isExternal(D));
}

TEST_F(Solver, AnIndexPassesPointeesButNotItsExternality) {
  Index G = B.variable("g"), A = B.address(Main, G), D = B.value();
  B.add(Main, K::External, A, None);
  B.add(Main, K::Indexed, D, A);
  run();
  EXPECT_TRUE(points(D, G));
  EXPECT_EQ(S.pointsTo(D).known()[0].Where.Stride, 1u);
  EXPECT_FALSE(S.isExternal(D));
}

TEST_F(Solver, FieldsAreKeptApart) {
  Index G = B.variable("g"), X = B.variable("x"), Y = B.variable("y");
  B.store(Main, B.address(Main, G, 0), B.address(Main, X));
  B.store(Main, B.address(Main, G, 8), B.address(Main, Y));
  Index L0 = B.load(Main, B.address(Main, G, 0)), L8 = B.load(Main, B.address(Main, G, 8));
  Index Both = B.load(Main, B.address(Main, G, 4));
  run();
  EXPECT_TRUE(points(L0, X) && !points(L0, Y));
  EXPECT_TRUE(points(L8, Y) && !points(L8, X));
  EXPECT_TRUE(points(Both, X) && points(Both, Y));
  EXPECT_EQ(S.knownContents(G).vec(), (std::vector<Index>{X, Y}));
}

TEST_F(Solver, WithoutFieldsAnObjectIsOneCell) {
  O.FieldSensitive = false;
  Index G = B.variable("g"), X = B.variable("x");
  B.store(Main, B.address(Main, G, 0), B.address(Main, X));
  Index L8 = B.load(Main, B.address(Main, G, 8));
  run();
  EXPECT_TRUE(points(L8, X));
}

TEST_F(Solver, MoreFieldsThanTheCapCollapseTheObject) {
  O.FieldCap = 3;
  Index G = B.variable("g"), X = B.variable("x");
  for (int I = 0; I < 4; ++I)
    B.store(Main, B.address(Main, G, I * 8), B.address(Main, X));
  Index Far = B.load(Main, B.address(Main, G, 800));
  run();
  EXPECT_TRUE(points(Far, X));
  EXPECT_EQ(S.Stats.Collapsed, 1u);
}

TEST_F(Solver, MoreAccessesOfAWidthThanTheLimitBecomeOneClass) {
  O.AccessLimit = 3;
  Index G = B.variable("g"), X = B.variable("x"), Y = B.variable("y");
  for (int I = 0; I < 4; ++I)
    B.store(Main, B.address(Main, G, I * 16), B.address(Main, X));
  B.store(Main, B.address(Main, G, 8), B.address(Main, Y));
  Index Far = B.load(Main, B.address(Main, G, 160)), Wide = B.load(Main, B.address(Main, G, 168));
  run();
  EXPECT_TRUE(points(Far, X));
  EXPECT_TRUE(points(Wide, X)); // 8 joined the class of 16: it is one of 8 now
  EXPECT_EQ(S.Stats.Widened, 2u);
}

TEST_F(Solver, ASetOverTheLimitIsExternalAndWhatItHeldEscapes) {
  O.SetLimit = 3;
  Index V = B.value(), Near = B.variable("near"), Few = B.address(Main, Near);
  std::vector<Index> Many;
  for (int I = 0; I < 4; ++I) {
    Many.push_back(B.variable("m" + std::to_string(I)));
    B.add(Main, K::AddressOf, V, Many.back());
  }
  run();
  EXPECT_TRUE(S.isExternal(V));
  EXPECT_TRUE(S.pointsTo(V).known().empty());
  for (Index M : Many)
    EXPECT_EQ(escape(M), 210);
  EXPECT_EQ(escape(Near), 0);
  EXPECT_FALSE(S.isExternal(Few));
  ASSERT_EQ(S.Log.size(), 1u);
  EXPECT_EQ(S.Log[0].Objects, Many);
}

TEST_F(Solver, WhatHasEscapedIsImpliedAndNotHeld) {
  Index X = B.variable("x"), Y = B.variable("y"), V = B.address(Main, X);
  B.add(Main, K::AddressOf, V, Y);
  B.add(Main, K::Escape, None, B.address(Main, X)).Code = 202;
  run();
  EXPECT_TRUE(S.isExternal(V));
  ASSERT_EQ(S.pointsTo(V).known().size(), 1u);
  EXPECT_EQ(S.pointsTo(V).known()[0].Object, Y);
  EXPECT_TRUE(points(V, X) && points(V, Y));
  EXPECT_EQ(S.pointedTo(V).vec(), std::vector<Index>{X});
}

TEST_F(Solver, AnAbsorbedAddressPassesAnIndex) {
  Index X = B.variable("x"), Y = B.variable("y"), I = B.address(Main, X), D = B.address(Main, Y);
  B.add(Main, K::Indexed, D, I);
  B.add(Main, K::Escape, None, I).Code = 202;
  run();
  EXPECT_TRUE(S.isExternal(D)); // not by I's externality, but since X was in it
  EXPECT_TRUE(points(D, X) && points(D, Y));
}

TEST_F(Solver, ACallThroughAnExternalPointerMayCallWhatHasEscaped) {
  Index F = B.function("f", 1, true, Linkage::Internal), G = B.function("g", 1, false, Linkage::Internal), X = B.variable("x");
  Index Callee = B.address(Main, B.objectOf(G)), R = B.value();
  B.add(Main, K::External, Callee, None);
  B.add(Main, K::Escape, None, B.address(Main, B.objectOf(F))).Code = 202;
  B.call(Main, None, {B.address(Main, X)}, R, Callee);
  run();
  EXPECT_TRUE(S.CallsEscaped[0]);
  EXPECT_EQ(S.Callees[0], std::vector<Index>{G}); // F is implied
  EXPECT_TRUE(S.Active[F] && S.isExternal(P.Functions[F].Params[0]) && S.isExternal(R));
  EXPECT_EQ(escape(X), 204);
}

TEST_F(Solver, FunctionsAreNoMemory) {
  Index F = B.function("f", 0, false, Linkage::Internal), X = B.variable("x"), A = B.address(Main, B.objectOf(F));
  B.store(Main, A, B.address(Main, X));
  Index L = B.load(Main, A);
  run();
  EXPECT_FALSE(points(L, X));
  EXPECT_EQ(escape(X), 0);
}

TEST_F(Solver, UnificationMakesEqualWhatInclusionKeepsApart) {
  Index X = B.variable("x"), Y = B.variable("y"), Z = B.variable("z"), V = B.address(Main, X), W = B.address(Main, Y),
        T = B.value();
  B.add(Main, K::Copy, T, V);
  B.add(Main, K::Copy, T, W);
  Index Far = B.address(Main, Z);
  run();
  EXPECT_FALSE(points(V, Y));
  O.Unify = true;
  Models M;
  S = solve(P, M, O);
  EXPECT_TRUE(points(V, Y) && points(W, X) && points(T, X));
  EXPECT_FALSE(points(V, Z) || points(Far, X) || S.isExternal(V));
}

TEST_F(Solver, ACycleOfPositiveWeightEnds) {
  Index G = B.variable("g"), P0 = B.address(Main, G);
  B.add(Main, K::Displace, P0, P0).Disp = {24, 0, 0};
  run();
  ASSERT_EQ(S.pointsTo(P0).known().size(), 1u);
  EXPECT_EQ(S.pointsTo(P0).known()[0].Where.Stride, 24u);
}

TEST_F(Solver, ArrayElementsStayInTheirMember) {
  Index G = B.variable("g"), X = B.variable("x"), Y = B.variable("y");
  Index Element = B.displaced(Main, B.address(Main, G), {16, 8, 32});
  B.store(Main, Element, B.address(Main, X));
  B.store(Main, B.address(Main, G, 48), B.address(Main, Y));
  Index Before = B.load(Main, B.address(Main, G, 8)), In = B.load(Main, B.address(Main, G, 24));
  Index Behind = B.load(Main, B.address(Main, G, 48)), Next = B.load(Main, B.displaced(Main, Element, {8, 0, 0}));
  run();
  EXPECT_FALSE(points(Before, X));
  EXPECT_TRUE(points(In, X));
  EXPECT_TRUE(points(Behind, Y) && !points(Behind, X));
  EXPECT_TRUE(points(Next, X) && !points(Next, Y));
}

TEST_F(Solver, MemoryIsCopiedFieldByField) {
  Index G = B.variable("g"), H = B.variable("h"), X = B.variable("x"), Y = B.variable("y"), Z = B.variable("z");
  B.add(Main, K::CopyMemory, B.address(Main, H, 100), B.address(Main, G, 8), 16);
  B.store(Main, B.address(Main, G, 0), B.address(Main, Z));
  B.store(Main, B.address(Main, G, 8), B.address(Main, X));
  B.store(Main, B.address(Main, G, 16), B.address(Main, Y));
  Index L0 = B.load(Main, B.address(Main, H, 100)), L8 = B.load(Main, B.address(Main, H, 108));
  run();
  EXPECT_TRUE(points(L0, X) && !points(L0, Y) && !points(L0, Z));
  EXPECT_TRUE(points(L8, Y) && !points(L8, X));
}

TEST_F(Solver, CopiesFromExternalMemoryAreExternalHoweverLateTheTargetIsKnown) {
  Index G = B.variable("g"), E = B.value(), Late = B.value();
  B.add(Main, K::External, E, None);
  B.add(Main, K::CopyMemory, Late, E, 16);
  B.add(Main, K::AddressOf, Late, G);
  Index In = B.load(Main, B.address(Main, G, 8)), Behind = B.load(Main, B.address(Main, G, 16));
  run();
  EXPECT_TRUE(S.isExternal(In));
  EXPECT_FALSE(S.isExternal(Behind));
}

TEST_F(Solver, CopiesToExternalMemoryLetTheContentsEscape) {
  Index G = B.variable("g"), E = B.value(), X = B.variable("x"), Y = B.variable("y");
  B.store(Main, B.address(Main, G), B.address(Main, X));
  B.store(Main, B.address(Main, G, 16), B.address(Main, Y));
  B.add(Main, K::External, E, None);
  B.add(Main, K::CopyMemory, E, B.address(Main, G), 16);
  run();
  EXPECT_EQ(escape(X), 204);
  EXPECT_EQ(escape(Y), 0);
  EXPECT_EQ(escape(G), 0);
}

TEST_F(Solver, NarrowReadsExposeAndUntrackedStoresMakeExternal) {
  Index G = B.variable("g"), X = B.variable("x"), Y = B.variable("y");
  B.store(Main, B.address(Main, G, 0), B.address(Main, X));
  B.store(Main, B.address(Main, G, 8), B.address(Main, Y));
  B.add(Main, K::NarrowLoad, None, B.address(Main, G, 3), 1);
  B.add(Main, K::UntrackedStore, B.address(Main, G, 12), None, 4);
  Index L0 = B.load(Main, B.address(Main, G, 0)), L8 = B.load(Main, B.address(Main, G, 8));
  run();
  EXPECT_EQ(escape(X), 201);
  EXPECT_EQ(escape(Y), 0);
  EXPECT_TRUE(points(L0, X) && !points(L0, Y));
  EXPECT_TRUE(S.isExternal(L8));
}

TEST_F(Solver, WhatAnEscapedObjectHoldsEscapesToo) {
  Index G = B.variable("g"), X = B.variable("x");
  B.store(Main, B.address(Main, G), B.address(Main, X));
  B.add(Main, K::Escape, None, B.address(Main, G)).Code = 202;
  Index L = B.load(Main, B.address(Main, G, 8));
  run();
  EXPECT_EQ(escape(G), 202);
  EXPECT_EQ(escape(X), 202);
  EXPECT_TRUE(S.isExternal(L));
}

TEST_F(Solver, StoresThroughExternalPointersEscape) {
  Index X = B.variable("x"), E = B.value();
  B.add(Main, K::External, E, None);
  B.store(Main, E, B.address(Main, X));
  Index L = B.load(Main, E);
  run();
  EXPECT_EQ(escape(X), 204);
  EXPECT_TRUE(S.isExternal(L));
}

TEST_F(Solver, AnEscapedFunctionMayBeCalledByAnyone) {
  Index F = B.function("f", 1, true, Linkage::Internal), X = B.variable("x");
  B.add(F, K::Copy, B.P.Functions[F].Result, B.address(F, X));
  B.add(Main, K::Escape, None, B.address(Main, B.objectOf(F))).Code = 301;
  run();
  EXPECT_TRUE(S.Active[F]);
  EXPECT_TRUE(S.isExternal(P.Functions[F].Params[0]));
  EXPECT_EQ(escape(X), 301);
}

TEST_F(Solver, ConstraintsOfInactiveFunctionsAreInert) {
  Index F = B.function("f", 0, false, Linkage::Internal), X = B.variable("x"), V = B.address(F, X);
  B.add(F, K::Escape, None, V).Code = 203;
  run();
  EXPECT_FALSE(S.Active[F]);
  EXPECT_TRUE(S.pointsTo(V).known().empty());
  EXPECT_EQ(escape(X), 0);
}

TEST_F(Solver, CallsBindByPositionAndSurplusGoesToVarargs) {
  Index F = B.function("f", 1, true, Linkage::Internal), X = B.variable("x"), Y = B.variable("y"), R = B.value();
  B.P.Functions[F].Varargs = B.value();
  B.add(F, K::Copy, B.P.Functions[F].Result, B.P.Functions[F].Params[0]);
  B.call(Main, None, {B.address(Main, X), B.address(Main, Y)}, R, B.address(Main, B.objectOf(F)));
  run();
  EXPECT_TRUE(points(R, X) && !points(R, Y));
  EXPECT_TRUE(points(P.Functions[F].Varargs, Y));
  EXPECT_EQ(S.Callees[0], std::vector<Index>{F});
}

TEST_F(Solver, SurplusArgumentsWithoutVarargsEscape) {
  Index F = B.function("f", 0, false, Linkage::Internal), X = B.variable("x");
  B.call(Main, B.P.Functions[F].Symbol, {B.address(Main, X)});
  run();
  EXPECT_EQ(escape(X), 203);
}

TEST_F(Solver, AnUnknownFunctionKeepsWhatItGets) {
  Index X = B.variable("x"), R = B.value();
  B.call(Main, B.external("mystery"), {B.address(Main, X)}, R);
  run();
  EXPECT_EQ(escape(X), 301);
  EXPECT_EQ(S.Objects[X].EscapeText, "passed to `mystery`, which has no model");
  EXPECT_TRUE(S.isExternal(R));
}

TEST_F(Solver, NoModelForNoBuiltinCallsAndRedefinedNames) {
  Index R = B.value(), Q = B.value();
  B.call(Main, B.external("malloc"), {None}, R).NoBuiltin = true;
  B.P.Redefined.insert("strdup");
  B.call(Main, B.external("strdup"), {Q}, Q);
  run();
  EXPECT_TRUE(S.isExternal(R) && S.pointsTo(R).known().empty());
  EXPECT_TRUE(S.isExternal(Q));
}

TEST_F(Solver, ADefinitionBeatsTheModel) {
  Index F = B.function("malloc", 1, true), X = B.variable("x"), R = B.value();
  B.add(F, K::Copy, B.P.Functions[F].Result, B.address(F, X));
  B.call(Main, B.P.Functions[F].Symbol, {None}, R);
  run();
  EXPECT_TRUE(points(R, X));
  EXPECT_EQ(S.HeapObject[0], None);
}

TEST_F(Solver, ACallThroughNothingKnownIsUnknown) {
  Index X = B.variable("x"), Nothing = B.value();
  B.call(Main, None, {B.address(Main, X)}, None, Nothing);
  run();
  EXPECT_EQ(escape(X), 204);
  EXPECT_EQ(S.Stats.Rounds, 2u);
}

TEST_F(Solver, MemoryBehindNothingKnownIsUnknown) {
  Index X = B.variable("x"), Nothing = B.value(), L = B.load(Main, Nothing);
  B.store(Main, Nothing, B.address(Main, X));
  run();
  EXPECT_TRUE(S.isExternal(L));
  EXPECT_EQ(escape(X), 204);
  EXPECT_EQ(S.Notes.back().Code, 204);
}

TEST_F(Solver, DifferencesExposeOnlyAcrossObjects) {
  Index X = B.variable("x"), Y = B.variable("y"), Z = B.variable("z");
  B.add(Main, K::Difference, B.address(Main, X), B.address(Main, X, 8));
  B.add(Main, K::Difference, B.address(Main, Y), B.address(Main, Z));
  run();
  EXPECT_EQ(escape(X), 0);
  EXPECT_EQ(escape(Y), 201);
  EXPECT_EQ(escape(Z), 201);
}

TEST_F(Solver, EachAllocatingCallHasItsObject) {
  Index A = malloc(Main), C = malloc(Main), D = B.value();
  B.call(Main, B.external("strdup"), {A}, D);
  run();
  EXPECT_NE(S.HeapObject[0], S.HeapObject[1]);
  EXPECT_TRUE(points(A, S.HeapObject[0]) && !points(A, S.HeapObject[1]) && points(C, S.HeapObject[1]));
  EXPECT_FALSE(S.Objects[S.HeapObject[0]].LibraryMade);
  EXPECT_TRUE(S.Objects[S.HeapObject[2]].LibraryMade);
}

TEST_F(Solver, ModelsHoldForCallsThroughPointers) {
  Index R = B.value(), Malloc = B.external("malloc");
  B.call(Main, None, {None}, R, B.address(Main, B.P.Symbols[Malloc].Object));
  run();
  EXPECT_TRUE(points(R, S.HeapObject[0]));
  EXPECT_EQ(S.ExternalCallees[0], std::vector<Index>{Malloc});
}

TEST_F(Solver, ReallocKeepsTheContentsAndTheOldBlock) {
  Index A = malloc(Main), X = B.variable("x"), R = B.value();
  B.store(Main, B.displaced(Main, A, {8, 0, 0}), B.address(Main, X));
  B.call(Main, B.external("realloc"), {A, None}, R);
  Index L = B.load(Main, B.displaced(Main, R, {8, 0, 0}));
  run();
  EXPECT_TRUE(points(R, S.HeapObject[0]) && points(R, S.HeapObject[1]));
  EXPECT_EQ(S.knownContents(S.HeapObject[1]).vec(), std::vector<Index>{X});
  EXPECT_TRUE(points(L, X));
}

TEST_F(Solver, ThreadArgumentsAndResultsAreRoots) {
  Index F = B.function("worker", 1, true, Linkage::Internal), X = B.variable("x"), Y = B.variable("y"), Z = B.variable("z");
  B.add(F, K::Copy, B.P.Functions[F].Result, B.address(F, Y));
  Index Exit = B.address(F, Z), Arg = B.address(Main, X), Place = B.address(Main, B.stack(Main));
  B.call(F, B.external("exit_thread"), {Exit});
  B.call(Main, B.external("spawn"), {B.address(Main, B.objectOf(F)), Arg});
  B.call(Main, B.external("join"), {Place});
  Index Joined = B.load(Main, Place);
  run();
  EXPECT_TRUE(root(Arg, 102));
  EXPECT_TRUE(root(P.Functions[F].Result, 103));
  EXPECT_TRUE(root(Exit, 103));
  EXPECT_TRUE(points(P.Functions[F].Params[0], X));
  EXPECT_TRUE(points(Joined, Y) && points(Joined, Z));
  EXPECT_TRUE(S.Callees[1].empty()); // a callback is not a callee: arguments sit elsewhere
}

TEST_F(Solver, KeysCarryValuesToTheirDestructor) {
  Index F = B.function("drop", 1, false, Linkage::Internal), X = B.variable("x"), R = B.value();
  B.call(Main, B.external("setspecific"), {B.address(Main, X)});
  B.call(Main, B.external("getspecific"), {}, R);
  B.call(Main, B.external("key_create"), {B.address(Main, B.objectOf(F))});
  run();
  EXPECT_TRUE(points(R, X));
  EXPECT_TRUE(points(P.Functions[F].Params[0], X));
  EXPECT_EQ(escape(X), 0);
}

TEST_F(Solver, ALibraryFunctionAsCallbackHasItsModelsEffect) {
  Index X = B.variable("x"), Putenv = B.external("putenv");
  B.call(Main, B.external("apply"), {B.address(Main, B.P.Symbols[Putenv].Object), B.address(Main, X)});
  run();
  EXPECT_EQ(escape(X), 302);
}

TEST_F(Solver, BytesThatLeaveTakePointeesAlong) {
  Index G = B.variable("g"), X = B.variable("x"), H = B.variable("h");
  B.store(Main, B.address(Main, G, 16), B.address(Main, X));
  B.call(Main, B.external("write"), {B.address(Main, G)});
  B.call(Main, B.external("read"), {B.address(Main, H)});
  Index L = B.load(Main, B.address(Main, H, 32));
  run();
  EXPECT_EQ(escape(G), 0);
  EXPECT_EQ(escape(X), 304);
  EXPECT_TRUE(S.isExternal(L));
}

TEST_F(Solver, FormatsSayWhatIsExposed) {
  Index X = B.variable("x"), Y = B.variable("y"), Z = B.variable("z"), Printf = B.external("printf");
  Call &Known = B.call(Main, Printf, {None, B.address(Main, X), B.address(Main, Y)});
  Known.Args[0].String = B.string("%s: %p");
  B.call(Main, Printf, {None, B.address(Main, Z)});
  run();
  EXPECT_EQ(escape(X), 0);
  EXPECT_EQ(escape(Y), 201);
  EXPECT_EQ(escape(Z), 203);
}

TEST_F(Solver, VisibleAndForeignVariablesEscapeFromTheStart) {
  Index G = B.variable("g", Linkage::External), E = B.variable("e", Linkage::Declared), H = B.variable("h", Linkage::External);
  B.show(B.P.Objects[G].Symbol);
  run();
  EXPECT_EQ(escape(G), 303);
  EXPECT_EQ(escape(E), 303);
  EXPECT_EQ(escape(H), 0);
}

TEST_F(Solver, InitialisersCountWithoutAnyFunction) {
  Index G = B.variable("g"), X = B.variable("x");
  B.store(None, B.address(None, G), B.address(None, X));
  run();
  EXPECT_EQ(S.knownContents(G).vec(), std::vector<Index>{X});
}

TEST_F(Solver, OnlyTheEntriesOfAWholeProgramAreCounted) {
  run();
  ASSERT_FALSE(S.Notes.empty());
  EXPECT_EQ(S.Notes[0].Code, 901);
}

/// Every text completes "the block is ...": none brings a subject or a verb of its own.
TEST(CauseText, CompletesTheBlockIs) {
  const std::set<std::string> Begins = {"passed", "the", "in", "used", "exposed", "given", "kept", "seen", "written"};
  for (ReasonCode Code = 100; Code < 310; ++Code)
    for (const char *By : {"", "f"}) {
      std::string Text = causeText(Code, By);
      EXPECT_TRUE(Begins.count(Text.substr(0, Text.find(' ')))) << "the block is " << Text;
    }
}

} // namespace
