// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ReportTest.cpp - the report model: JSON out and in again, order of keys, text lines, files written whole or not at all.

#include "Report.h"
#include "Reasons.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <gtest/gtest.h>
#include <set>

using namespace freehold;
using namespace llvm;

namespace {

Report sample() {
  Report R;
  R.Version = "0.1.0";
  R.LLVMVersion = "19.1.7";
  R.ProgramName = "fig1";
  R.Functions = 2;
  R.Frees = 4;
  SiteReport L;
  L.Id = "00000000000000a1";
  L.File = "no/such/fig1.c";
  L.Line = 9;
  L.Column = 7;
  L.Function = "foo";
  L.Callee = "malloc";
  L.Size = 16;
  L.V = Verdict::Local;
  L.Rule = "unreachable";
  L.Rewritten = true;
  SiteReport X = L;
  X.Line = 17;
  X.Function = "main";
  X.Size.reset();
  X.V = Verdict::Shared;
  X.Rule.clear();
  X.Rewritten = false;
  X.Context = {{"no/such/fig1.c", 30, 3, "main"}};
  X.Why = Reason{"FH102", "passed to a new thread by pthread_create", {{"no/such/fig1.c", 18, 0, "x is copied to q"}}};
  R.Sites = {L, X};
  R.Assumptions = {{"FH901", "only main is entered from outside", 2, {"fig1.c:12"}}};
  return R;
}

std::string json(const Report &R) {
  std::string S;
  raw_string_ostream OS(S);
  printJSON(R, OS);
  return S;
}

std::string text(const Report &R) {
  std::string S;
  raw_string_ostream OS(S);
  printText(R, OS);
  return S;
}

TEST(Report, ComesBackFromJSONEqual) {
  Report R = sample();
  R.Timings = Report::Times{0.5, 1.5, 0.25, 12};
  R.Aside = "the link asks for -flto=thin";
  std::string First = json(R);
  Expected<Report> Back = readJSON(First);
  ASSERT_TRUE(bool(Back)) << toString(Back.takeError());
  EXPECT_EQ(json(*Back), First);
  EXPECT_EQ(Back->Sites[1].Why->Path[0].What, "x is copied to q");
  EXPECT_FALSE(Back->Sites[1].Size.has_value());
}

TEST(Report, KeysKeepTheirOrder) {
  std::string S = json(sample());
  size_t Last = 0;
  for (const char *Key :
       {"schema",     "tool",   "program", "settings", "summary", "sites\": [", "id",        "file",   "line",        "column",
        "function\"", "callee", "size",    "context",  "verdict", "rule",       "rewritten", "reason", "assumptions", "where"}) {
    size_t At = S.find(std::string("\"") + Key, Last);
    ASSERT_NE(At, std::string::npos) << Key;
    Last = At;
  }
  EXPECT_EQ(S.find("timings"), std::string::npos);
  EXPECT_EQ(S.find("aside"), std::string::npos);
}

TEST(Report, SaysWhatEveryVerdictRestsOn) {
  std::string S = json(sample());
  size_t Settings = S.find("\"settings\""), Assumed = S.find("\"assumed\"", Settings), Summary = S.find("\"summary\"");
  ASSERT_LT(Assumed, Summary);
  for (const char *What : {"by comparing it with other addresses", "what dies in one comes back from none", "FH905"})
    EXPECT_LT(S.find(What, Assumed), Summary) << What;
}

TEST(Report, DamagedJSONIsAnError) {
  std::string S = json(sample());
  for (const char *Bad : {"", "{", "[]", "{}", "{\"schema\":\"freehold-report/2\"}"}) {
    Expected<Report> R = readJSON(Bad);
    EXPECT_FALSE(bool(R)) << Bad;
    consumeError(R.takeError());
  }
  size_t At = S.find("\"shared\"", S.find("verdict"));
  Expected<Report> R = readJSON(S.replace(At, 8, "\"sheared\""));
  ASSERT_FALSE(bool(R));
  EXPECT_NE(toString(R.takeError()).find("local, shared or unknown"), std::string::npos);
}

TEST(Report, NamesThatAreNoUTF8StayReadable) {
  Report R = sample();
  R.Sites[0].Function = "f\xff";
  Expected<Report> Back = readJSON(json(R));
  EXPECT_TRUE(bool(Back));
  consumeError(Back.takeError());
}

TEST(Report, TextHasALineForEverySite) {
  std::string S = text(sample());
  EXPECT_NE(S.find("fig1: 2 allocation sites in 2 functions: 1 local, 1 shared, 0 unknown; 1 rewritten\n"), std::string::npos)
      << S;
  EXPECT_NE(S.find("fig1.c:9:7: local [unreachable] malloc(16) in foo"), std::string::npos) << S;
  EXPECT_NE(S.find("fig1.c:17:7: shared: passed to a new thread by pthread_create [FH102] malloc() in main\n"), std::string::npos)
      << S;
  EXPECT_NE(S.find("\n  no/such/fig1.c:18: x is copied to q\n"), std::string::npos) << S;
  EXPECT_EQ(S.back(), '\n');
}

TEST(Report, ManySitesAreCutOnlyInDetail) {
  Report R = sample();
  R.Sites.resize(1);
  SiteReport X = sample().Sites[1];
  for (unsigned I = 0; I < 25; ++I) {
    X.Line = 100 + I;
    R.Sites.push_back(X);
  }
  std::string S = text(R);
  EXPECT_NE(S.find("fig1.c:124:7: shared"), std::string::npos);
  EXPECT_NE(S.find("and 5 more"), std::string::npos);
}

TEST(Report, FileIsReplacedWholeAndFaultsNameIt) {
  SmallString<128> Dir;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("freehold-report", Dir));
  std::string File = (Dir + "/r.json").str();
  for (int Round = 0; Round < 2; ++Round) {
    Error E = writeReport(sample(), File);
    ASSERT_FALSE(bool(E)) << toString(std::move(E));
  }
  auto Buffer = MemoryBuffer::getFile(File);
  ASSERT_TRUE(bool(Buffer));
  EXPECT_EQ((*Buffer)->getBuffer(), json(sample()));
  std::error_code EC;
  unsigned Entries = 0;
  for (sys::fs::directory_iterator I(Dir, EC), E; I != E && !EC; I.increment(EC))
    ++Entries;
  EXPECT_EQ(Entries, 1u);
  std::string Message = toString(writeReport(sample(), (Dir + "/none/r.json").str()));
  EXPECT_NE(Message.find("cannot write report"), std::string::npos) << Message;
  EXPECT_NE(toString(writeReport(sample(), (Dir + "/r.html").str())).find("not built yet"), std::string::npos);
  EXPECT_NE(toString(writeReport(sample(), (Dir + "/r.xml").str())).find("cannot tell"), std::string::npos);
  sys::fs::remove_directories(Dir);
}

TEST(Reasons, TableIsAscendingAndFound) {
  unsigned Last = 0;
  for (const ReasonInfo &R : reasonTable()) {
    EXPECT_LT(Last, R.Code);
    Last = R.Code;
    EXPECT_EQ(findReason(reasonName(R.Code)), &R);
  }
  EXPECT_EQ(findReason("FH999"), nullptr);
  EXPECT_EQ(findReason("102"), nullptr);
}

TEST(Reasons, MeaningsCompleteTheBlockIs) {
  const std::set<std::string> Begins = {"in",    "the",  "published", "part", "reached", "accessed", "shared", "hidden",
                                        "given", "from", "not",       "made", "passed",  "kept",     "written"};
  for (const ReasonInfo &R : reasonTable())
    if (R.Code < 900)
      EXPECT_TRUE(Begins.count(StringRef(R.Meaning).split(' ').first.str())) << "the block is " << R.Meaning;
}

TEST(Reasons, EveryCodeHasItsPage) {
  for (const ReasonInfo &R : reasonTable())
    EXPECT_TRUE(reasonPage(reasonName(R.Code)).starts_with("# " + reasonName(R.Code) + ": "));
  EXPECT_TRUE(reasonPage("FH999").empty());
}

} // namespace
