// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SummaryIOTest.cpp - every field comes back as it was; what is cut off, damaged, foreign or forged is refused with a word.
#include "summary/SummaryIO.h"
#include "summary/RandomModule.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace freehold;
using llvm::StringRef;

namespace freehold {

// A field that is added to a struct and not here breaks the build.
static bool operator==(const SourceLoc &A, const SourceLoc &B) {
  auto Of = [](const SourceLoc &L) {
    auto &[File, Line, Column] = L;
    return std::tuple(File, Line, Column);
  };
  return Of(A) == Of(B);
}
static bool operator==(const Displacement &A, const Displacement &B) {
  auto Of = [](const Displacement &D) {
    auto &[Offset, Stride, Length] = D;
    return std::tuple(Offset, Stride, Length);
  };
  return Of(A) == Of(B);
}
static bool operator==(const CallArg &A, const CallArg &B) {
  auto Of = [](const CallArg &C) {
    auto &[Value, Constant, Distance, String] = C;
    return std::tuple(Value, Constant, Distance, String);
  };
  return Of(A) == Of(B);
}

static auto fields(const Symbol &S) {
  auto &[Name, Link, Hidden, Used, Object, Function, Aliasee, IFunc] = S;
  return std::tuple(Name, Link, Hidden, Used, Object, Function, Aliasee, IFunc);
}
static auto fields(const Object &O) {
  auto &[Kind, Name, Symbol, Function, Size, ThreadLocal, Constant, Loc] = O;
  return std::tuple(Kind, Name, Symbol, Function, Size, ThreadLocal, Constant, Loc);
}
static auto fields(const Constraint &C) {
  auto &[Kind, Code, Dst, Src, Disp, Width, Loc] = C;
  return std::tuple(Kind, Code, Dst, Src, Disp, Width, Loc);
}
static auto fields(const Function &F) {
  auto &[Symbol, SourceName, Loc, Params, Result, Varargs, C0, C1, K0, K1, Constructor, Destructor, Tag] = F;
  return std::tuple(Symbol, SourceName, Loc, Params, Result, Varargs, C0, C1, K0, K1, Constructor, Destructor, Tag);
}
static auto fields(const Call &C) {
  auto &[Function, Symbol, Callee, Args, Result, Site, NoBuiltin, Loc] = C;
  return std::tuple(Function, Symbol, Callee, Args, Result, Site, NoBuiltin, Loc);
}
static auto fields(const Site &S) {
  auto &[Id, Call, Callee, Size, Function, Ordinal] = S;
  return std::tuple(Id, Call, Callee, Size, Function, Ordinal);
}
static auto fields(const Note &N) {
  auto &[Code, Text, Loc] = N;
  return std::tuple(Code, Text, Loc);
}

} // namespace freehold

namespace {

template <typename T> void expectEqual(const char *What, const std::vector<T> &A, const std::vector<T> &B) {
  ASSERT_EQ(A.size(), B.size()) << What;
  for (size_t I = 0; I < A.size(); ++I)
    EXPECT_TRUE(fields(A[I]) == fields(B[I])) << What << ' ' << I;
}

void expectEqual(const Module &A, const Module &B) {
  auto &[Name, Strings, Symbols, Objects, ValueNames, Constraints, FirstGlobal, Functions, Calls, Sites, Notes, Frees, Unknown] =
      B;
  EXPECT_EQ(A.Name, Name);
  EXPECT_EQ(A.Strings, Strings);
  EXPECT_EQ(A.ValueNames, ValueNames);
  EXPECT_EQ(A.FirstGlobalConstraint, FirstGlobal);
  EXPECT_EQ(A.Frees, Frees);
  EXPECT_EQ(A.CodeUnknown, Unknown);
  expectEqual("symbol", A.Symbols, Symbols);
  expectEqual("object", A.Objects, Objects);
  expectEqual("constraint", A.Constraints, Constraints);
  expectEqual("function", A.Functions, Functions);
  expectEqual("call", A.Calls, Calls);
  expectEqual("site", A.Sites, Sites);
  expectEqual("note", A.Notes, Notes);
}

std::string refusal(StringRef Bytes) {
  llvm::Expected<Module> Read = readSummary(Bytes);
  return Read ? "" : llvm::toString(Read.takeError());
}

void expectRoundTrip(const Module &M) {
  std::string Bytes = writeSummary(M);
  llvm::Expected<Module> Again = readSummary(Bytes);
  ASSERT_TRUE(bool(Again)) << llvm::toString(Again.takeError());
  expectEqual(M, *Again);
  EXPECT_EQ(writeSummary(*Again), Bytes);
  EXPECT_EQ(writeSummary(M), Bytes);
}

TEST(SummaryIO, AnEmptyModuleComesBack) { expectRoundTrip(Module()); }

TEST(SummaryIO, EveryFieldComesBack) {
  for (uint64_t Seed = 0; Seed < 400; ++Seed) {
    SCOPED_TRACE(Seed);
    expectRoundTrip(RandomModule(Seed).make(Seed % 40 + 1));
  }
}

TEST(SummaryIO, EveryTruncationIsRefused) {
  std::string Bytes = writeSummary(RandomModule(1).make(8));
  for (size_t N = 0; N < Bytes.size(); ++N)
    EXPECT_NE(refusal(StringRef(Bytes).take_front(N)), "") << N;
  EXPECT_EQ(refusal(StringRef(Bytes).take_front(10)), "damaged summary: cut off");
  EXPECT_NE(refusal(Bytes + '\0'), "");
}

TEST(SummaryIO, EveryFlippedBitIsRefused) {
  std::string Bytes = writeSummary(RandomModule(2).make(4));
  for (size_t N = 0; N < Bytes.size(); ++N)
    for (unsigned Bit = 0; Bit < 8; ++Bit) {
      std::string Damaged = Bytes;
      Damaged[N] = char(Damaged[N] ^ 1 << Bit);
      EXPECT_NE(refusal(Damaged), "") << N << ' ' << Bit;
    }
}

TEST(SummaryIO, AnotherFormatIsNamed) {
  EXPECT_EQ(refusal("fh-summary 2 0 0 0 0\nstrings 0\n"),
            "a summary of format 2, this Freehold reads format " + std::to_string(SummaryVersion) + ": compile anew");
  EXPECT_EQ(refusal("fh-summary 99\n\1\2\3"),
            "a summary of format 99, this Freehold reads format " + std::to_string(SummaryVersion) + ": compile anew");
  EXPECT_EQ(refusal("\x7f"
                    "ELF"),
            "not a summary");
}

/// The seal fits, what lies in it does not: whoever can write objects can do that.
TEST(SummaryIO, ForgedContentsNeverCrash) {
  for (uint64_t Seed = 0; Seed < 20; ++Seed) {
    std::string Contents = llvm::cantFail(openSummary(writeSummary(RandomModule(Seed).make(6)))).str();
    for (size_t N = 0; N < Contents.size(); ++N)
      for (char Byte : {'\0', '\1', '\x7f', '\xff', '\x80'}) {
        std::string Forged = Contents;
        Forged[N] = Byte;
        if (auto Read = readSummary(sealSummary(Forged)))
          expectRoundTrip(*Read);
        else
          llvm::consumeError(Read.takeError());
      }
    for (size_t N = 0; N < Contents.size(); ++N)
      EXPECT_NE(refusal(sealSummary(StringRef(Contents).take_front(N))), "") << N;
  }
}

std::string number(uint64_t N) {
  std::string Bytes;
  llvm::raw_string_ostream OS(Bytes);
  encodeULEB128(N, OS);
  return Bytes;
}

TEST(SummaryIO, LengthsCostNoMemory) {
  const std::string Huge = number(~uint64_t(0)), Large = number(uint64_t(1) << 31), NoStrings = number(0);
  const std::string Head = NoStrings + number(0) + number(0) + number(0) + number(0); // name, first global, frees, flags
  for (const std::string &Length : {Huge, Large}) {
    EXPECT_NE(refusal(sealSummary(Length)).find("longer than the summary"), std::string::npos);
    EXPECT_NE(refusal(sealSummary(number(1) + Length)).find("string is too long"), std::string::npos);
    EXPECT_NE(refusal(sealSummary(Head + Length)), ""); // values
    EXPECT_NE(refusal(sealSummary(Head + Length + Large + number(0))).find("wrong run"), std::string::npos);
    EXPECT_NE(refusal(sealSummary(Head + number(0) + Length)).find("longer than the summary"), std::string::npos); // symbols
  }
}

TEST(SummaryIO, NumbersHaveTenBytesAtMost) {
  std::string Long = std::string(10, '\x80') + '\0', Negative = std::string(10, '\xff') + '\x7f';
  for (const std::string &Number : {Long, Negative})
    EXPECT_NE(refusal(sealSummary(Number)), "");
  // A displacement: one value, no symbol and no object, one constraint.
  const std::string Head = number(0) + number(0) + number(0) + number(0) + number(0) + number(1) + number(1) + number(0) +
                           number(0) + number(0) + number(1);
  const std::string Displace = number(unsigned(ConstraintKind::Displace) | 1 << 5) + number(1) + number(1);
  const std::string Rest = number(0) + number(0) + number(0) + number(0);
  EXPECT_EQ(refusal(sealSummary(Head + Displace + number(8) + Rest)), "");
  EXPECT_NE(refusal(sealSummary(Head + Displace + Negative + Rest)), "");
}

TEST(SummaryIO, IndicesOutOfRangeAreNamed) {
  auto Refused = [](auto Change) {
    Module M = RandomModule(7).make(30);
    Change(M);
    return refusal(writeSummary(M));
  };
  const Index Beyond = 1000000;
  EXPECT_EQ(Refused([](Module &) {}), "");
  EXPECT_EQ(Refused([&](Module &M) { M.Name = Beyond; }), "damaged summary: index out of range in module 0");
  EXPECT_EQ(Refused([&](Module &M) { M.ValueNames[3] = Beyond; }), "damaged summary: index out of range in value 3");
  EXPECT_EQ(Refused([&](Module &M) { M.Symbols[1].Name = None; }), "damaged summary: index out of range in symbol 1");
  EXPECT_EQ(Refused([&](Module &M) { M.Objects[1].Loc.File = Beyond; }), "damaged summary: index out of range in object 1");
  EXPECT_EQ(Refused([&](Module &M) { M.Constraints[2].Dst = Beyond; }), "damaged summary: index out of range in constraint 2");
  EXPECT_EQ(Refused([&](Module &M) { M.Functions[0].LastCall = Beyond; }), "damaged summary: index out of range in function 0");
  EXPECT_EQ(Refused([&](Module &M) { M.Calls[1].Function = None; }), "damaged summary: index out of range in call 1");
  EXPECT_EQ(Refused([&](Module &M) { M.Sites[1].Call = Beyond; }), "damaged summary: index out of range in site 1");
  EXPECT_EQ(Refused([&](Module &M) { M.Notes[1].Text = Beyond; }), "damaged summary: index out of range in note 1");
  EXPECT_EQ(Refused([&](Module &M) { M.FirstGlobalConstraint = Beyond; }), "damaged summary: index out of range in module 0");
}

TEST(SummaryIO, TheDumpTellsEveryRecord) {
  Module M = RandomModule(7).make(30);
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  dumpSummary(M, OS);
  auto Lines = [&](StringRef Start) {
    llvm::SmallVector<StringRef, 0> All;
    StringRef(Text).split(All, '\n');
    return size_t(llvm::count_if(All, [&](StringRef L) { return L.starts_with(Start); }));
  };
  EXPECT_EQ(Lines("symbol "), M.Symbols.size());
  EXPECT_EQ(Lines("object "), M.Objects.size());
  EXPECT_EQ(Lines("function "), M.Functions.size());
  EXPECT_EQ(Lines("site "), M.Sites.size());
  EXPECT_EQ(Lines("note "), M.Notes.size());
  for (char C : Text)
    EXPECT_TRUE(C == '\n' || llvm::isPrint(C));
}

} // namespace
