// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// EscapeTest.cpp - verdicts, reasons and witnesses on programs and solutions made by hand: the solver has no part in these tests.

#include "escape/Escape.h"
#include <gtest/gtest.h>

using namespace freehold;

namespace {

/// A program of one function, main, and the solution the test claims for it. Variables first, then code.
class Hand {
public:
  Program P;
  Solution S;
  Resolution R;

  Hand() {
    R.HasLinker = true;
    Symbol M;
    M.Name = str("main");
    M.Function = 0;
    P.Symbols.push_back(M);
    P.Definitions.push_back({0});
    P.SymbolVisible.push_back(true);
    Function F;
    F.Symbol = 0;
    F.SourceName = str("main");
    F.Loc = at(1);
    P.Functions.push_back(F);
    S.Active.push_back(true);
  }
  Index str(const char *T) {
    P.Strings.push_back(T);
    return P.Strings.size() - 1;
  }
  SourceLoc at(unsigned Line) {
    SourceLoc L;
    L.File = str("/src/a.c");
    L.Line = Line;
    L.Column = 3;
    return L;
  }
  Index value(const char *Name = nullptr) {
    P.ValueNames.push_back(Name ? str(Name) : None);
    Pointees.emplace_back();
    External.push_back(false);
    return P.ValueNames.size() - 1;
  }
  Index abstract(AbstractObject::Kind K, Index Source) {
    AbstractObject A;
    A.K = K;
    A.Source = Source;
    S.Objects.push_back(A);
    Contents.emplace_back();
    return S.Objects.size() - 1;
  }
  Index variable(const char *Name, bool ThreadLocal = false) {
    Object O;
    O.Kind = ObjectKind::Variable;
    O.Name = str(Name);
    O.ThreadLocal = ThreadLocal;
    P.Objects.push_back(O);
    return abstract(AbstractObject::Variable, P.Objects.size() - 1);
  }
  /// An allocation; gives its object.
  Index allocate(Index Result, unsigned Line, uint64_t Id, bool Modelled = true) {
    Call C;
    C.Function = 0;
    C.Result = Result;
    C.Loc = at(Line);
    Site St;
    St.Id = Id;
    St.Call = P.Calls.size();
    St.Callee = str("malloc");
    St.Size = 16;
    St.Function = 0;
    P.Sites.push_back(St);
    call(C);
    if (!Modelled)
      return None;
    Index O = abstract(AbstractObject::Heap, St.Call);
    S.HeapObject[St.Call] = O;
    points(Result, O);
    return O;
  }
  Index call(Call C) {
    C.Function = 0;
    P.Calls.push_back(C);
    S.Callees.emplace_back();
    S.ExternalCallees.emplace_back();
    S.CallsEscaped.push_back(false);
    S.HeapObject.push_back(None);
    P.Functions[0].LastCall = P.Calls.size();
    return P.Calls.size() - 1;
  }
  void constrain(ConstraintKind K, Index Dst, Index Src, unsigned Line, ReasonCode Code = 0) {
    Constraint C;
    C.Kind = K;
    C.Dst = Dst;
    C.Src = Src;
    C.Code = Code;
    C.Loc = at(Line);
    P.Constraints.push_back(C);
    P.Functions[0].LastConstraint = P.Constraints.size();
  }
  std::vector<std::vector<Target>> Pointees; ///< of S, until it is judged
  std::vector<bool> External;
  std::vector<std::vector<Index>> Contents;
  void points(Index V, Index O, int64_t Offset = 0) {
    Offsets W;
    W.Base = Offset;
    Pointees[V].push_back({O, W});
  }
  void holds(Index O, Index To) { Contents[O].push_back(To); }
  void root(Index V, ReasonCode Code, unsigned Line, const char *Text) { S.Roots.push_back({V, Code, at(Line), Text, None}); }
  Report judge() {
    for (Index V = 0; V < Pointees.size(); ++V)
      S.addValue(Pointees[V], External[V]);
    for (Index O = 0; O < Contents.size(); ++O)
      S.setContents(O, Contents[O], S.Objects[O].Escaped);
    Report Out;
    judgeReachable(P, S, R, "/src", Out);
    return Out;
  }
};

std::string told(const SiteReport &S) {
  std::string Text;
  if (S.Why)
    for (const Step &St : S.Why->Path)
      Text += St.File + ":" + std::to_string(St.Line) + " " + St.What + "\n";
  return Text;
}

TEST(Reachable, BlockNobodyElseReachesIsLocal) {
  Hand H;
  H.allocate(H.value("l"), 9, 1);
  Report R = H.judge();
  ASSERT_EQ(R.Sites.size(), 1u);
  EXPECT_EQ(R.Sites[0].V, Verdict::Local);
  EXPECT_EQ(R.Sites[0].Rule, "unreachable");
  EXPECT_FALSE(R.Sites[0].Why.has_value());
  EXPECT_EQ(R.Sites[0].Id, "0000000000000001");
  EXPECT_EQ(R.Sites[0].File, "a.c");
}

TEST(Reachable, ThreadArgumentIsSharedByItsCopies) {
  Hand H;
  Index X = H.value("x"), Q = H.value("q");
  Index O = H.allocate(X, 17, 1);
  H.constrain(ConstraintKind::Copy, Q, X, 18);
  H.points(Q, O);
  H.root(Q, 102, 20, "passed to a new thread by pthread_create");
  Report R = H.judge();
  EXPECT_EQ(R.Sites[0].V, Verdict::Shared);
  EXPECT_EQ(R.Sites[0].Why->Code, "FH102");
  EXPECT_EQ(told(R.Sites[0]), "a.c:18 x is copied to q\na.c:20 q is the argument of thread started here\n");
}

TEST(Reachable, GlobalIsARootAndThreadLocalIsNot) {
  for (bool ThreadLocal : {false, true}) {
    Hand H;
    Index G = H.variable("g", ThreadLocal);
    Index A = H.value(), X = H.value();
    H.constrain(ConstraintKind::AddressOf, A, G, 2);
    H.points(A, G);
    Index O = H.allocate(X, 5, 1);
    H.constrain(ConstraintKind::Store, A, X, 6);
    H.holds(G, O);
    Report R = H.judge();
    EXPECT_EQ(R.Sites[0].V, ThreadLocal ? Verdict::Local : Verdict::Shared);
    if (!ThreadLocal) {
      EXPECT_EQ(R.Sites[0].Why->Code, "FH101");
      EXPECT_EQ(R.Sites[0].Why->Text, "stored in global g");
      EXPECT_EQ(told(R.Sites[0]), "a.c:6 the block is stored in global g\n");
    }
  }
}

TEST(Reachable, PathGoesOnThroughTheBlockThatHoldsIt) {
  Hand H;
  Index N = H.value("node"), X = H.value("x"), F = H.value();
  Index Node = H.allocate(N, 4, 1), O = H.allocate(X, 5, 2);
  H.constrain(ConstraintKind::Displace, F, N, 6);
  H.points(F, Node, 16);
  H.constrain(ConstraintKind::Store, F, X, 6);
  H.holds(Node, O);
  H.root(N, 102, 7, "passed to a new thread by pthread_create");
  Report R = H.judge();
  ASSERT_EQ(R.Sites.size(), 2u);
  EXPECT_EQ(R.Sites[1].V, Verdict::Shared);
  EXPECT_EQ(told(R.Sites[1]), "a.c:6 x is stored in the field at offset 16 of the block allocated at a.c:4\n"
                              "a.c:7 node is the argument of thread started here\n");
}

TEST(Reachable, NotUnderstoodIsUnknownUnlessAThreadComesToItToo) {
  for (bool Both : {false, true}) {
    Hand H;
    Index X = H.value("x");
    Index O = H.allocate(X, 3, 1);
    H.constrain(ConstraintKind::Escape, None, X, 4, 202);
    H.S.Objects[O].Escaped = true;
    H.S.Objects[O].EscapeCode = 202;
    if (Both)
      H.root(X, 103, 9, "result of a thread");
    Report R = H.judge();
    EXPECT_EQ(R.Sites[0].V, Both ? Verdict::Shared : Verdict::Unknown);
    EXPECT_EQ(R.Sites[0].Why->Code, Both ? "FH103" : "FH202");
    EXPECT_FALSE(R.Sites[0].Why->Path.empty());
  }
}

TEST(Reachable, KeptByAnExternalIsShared) {
  Hand H;
  Index X = H.value("x");
  Index O = H.allocate(X, 3, 1);
  Call C;
  C.Loc = H.at(8);
  CallArg Arg;
  Arg.Value = X;
  C.Args.push_back(Arg);
  H.call(C);
  AbstractObject &A = H.S.Objects[O];
  A.Escaped = true;
  A.EscapeCode = 301;
  A.EscapeLoc = C.Loc;
  A.EscapeText = "passed to keep, which has no model";
  Report R = H.judge();
  EXPECT_EQ(R.Sites[0].V, Verdict::Shared);
  EXPECT_EQ(R.Sites[0].Why->Code, "FH301");
  EXPECT_FALSE(told(R.Sites[0]).empty());
}

TEST(Reachable, ReplacedAllocatorIsUnknown) {
  Hand H;
  H.allocate(H.value("x"), 3, 1, /*Modelled=*/false);
  Report R = H.judge();
  EXPECT_EQ(R.Sites[0].V, Verdict::Unknown);
  EXPECT_EQ(R.Sites[0].Why->Code, "FH205");
}

TEST(Reachable, EqualIdsAreOneSiteWithTheWorstVerdict) {
  Hand H;
  Index X = H.value("x"), Y = H.value("y");
  H.allocate(X, 3, 7);
  H.allocate(Y, 3, 7);
  H.root(Y, 102, 9, "passed to a new thread by pthread_create");
  Report R = H.judge();
  ASSERT_EQ(R.Sites.size(), 1u);
  EXPECT_EQ(R.Sites[0].V, Verdict::Shared);
}

TEST(Reachable, SitesNothingReachesAreCountedOnly) {
  Hand H;
  H.allocate(H.value("x"), 3, 1);
  H.S.Active[0] = false;
  Report R = H.judge();
  EXPECT_TRUE(R.Sites.empty());
  EXPECT_EQ(R.Unreachable, 1u);
}

TEST(Reachable, ChainOfObjectsStandsInForAMissingPath) {
  Hand H;
  Index G = H.variable("g");
  Index O = H.allocate(H.value("x"), 5, 1);
  H.holds(G, O); // by no constraint the search could follow
  Report R = H.judge();
  EXPECT_EQ(R.Sites[0].V, Verdict::Shared);
  EXPECT_EQ(told(R.Sites[0]), "a.c:5 the block is held by global g\na.c:5 any thread may reach global g\n");
}

TEST(Assumptions, AreCountedByCodeWithPlaces) {
  Hand H;
  for (unsigned Line : {12, 4, 12}) {
    Note N;
    N.Code = 902;
    N.Loc = H.at(Line);
    H.P.Notes.push_back(N);
  }
  H.R.HasLinker = false;
  H.P.SymbolByName["main"] = 0;
  Report R = H.judge();
  ASSERT_EQ(R.Assumptions.size(), 2u);
  EXPECT_EQ(R.Assumptions[0].Code, "FH901");
  EXPECT_EQ(R.Assumptions[0].Where, std::vector<std::string>{"a.c:1"});
  EXPECT_EQ(R.Assumptions[1].Count, 2u); // one place counts once
  EXPECT_EQ(R.Assumptions[1].Where, (std::vector<std::string>{"a.c:4", "a.c:12"}));
}

TEST(Assumptions, TheStandardsRulesAreCountedWhereTheyAreUsed) {
  Hand H;
  Index X = H.value("x"), Y = H.value("y"), D = H.value();
  Index O = H.allocate(X, 3, 1);
  H.points(Y, O);
  H.constrain(ConstraintKind::Difference, X, Y, 8); // one object: C11 6.5.6p9 is relied on
  H.constrain(ConstraintKind::Difference, X, D, 9); // nothing in common: it is not
  H.constrain(ConstraintKind::Displace, D, X, 10);
  H.P.Constraints.back().Disp = {0, 1, 32}; // an array member: C11 6.5.6p8
  Report R = H.judge();
  ASSERT_EQ(R.Assumptions.size(), 1u);
  EXPECT_EQ(R.Assumptions[0].Code, "FH902");
  EXPECT_EQ(R.Assumptions[0].Where, (std::vector<std::string>{"a.c:8", "a.c:10"}));
}

} // namespace
