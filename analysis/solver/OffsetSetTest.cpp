// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OffsetSetTest.cpp - the algebra against brute force on small windows of integers.
#include "solver/OffsetSet.h"
#include <gtest/gtest.h>
#include <set>

using namespace freehold;

namespace {

constexpr int64_t Window = 40;

bool has(const Offsets &O, int64_t X) {
  if (isExact(O))
    return X == O.Base;
  bool InBounds = !isBounded(O) || (O.Low <= X && X < O.High);
  return InBounds && ((X - O.Base) % int64_t(O.Stride) == 0);
}

std::vector<Offsets> samples() {
  std::vector<Offsets> All;
  for (int64_t Base : {-9, -4, 0, 3, 8})
    All.push_back(exactOffset(Base));
  for (uint64_t Stride : {1, 2, 3, 6, 8})
    for (int64_t Base : {0, 1, 4}) {
      All.push_back(classOffset(Base, Stride));
      All.push_back(displace(exactOffset(Base), {2, Stride, 12}));
    }
  return All;
}

TEST(OffsetSet, DisplaceCoversEveryDisplacedAddress) {
  for (const Offsets &O : samples())
    for (int64_t Offset : {-5, 0, 2, 7})
      for (uint64_t Stride : {0, 1, 4, 6})
        for (uint64_t Length : {0, 10}) {
          if (Stride == 0 && Length != 0)
            continue;
          Offsets R = displace(O, {Offset, Stride, Length});
          for (int64_t X = -Window; X <= Window; ++X)
            for (int64_t N = -Window; has(O, X) && N <= Window; ++N) {
              int64_t Y = X + Offset + int64_t(Stride) * N;
              bool InLength = Length == 0 || (Y >= X + Offset && Y < X + Offset + int64_t(Length));
              bool InBounds = !isBounded(O) || (Y >= O.Low && Y < O.High);
              if (InLength && InBounds) {
                EXPECT_TRUE(has(R, Y));
              }
            }
        }
}

TEST(OffsetSet, JoinCoversBothAndIsTheGcd) {
  for (const Offsets &A : samples())
    for (const Offsets &B : samples())
      for (int64_t X = -Window; X <= Window; ++X)
        if (has(A, X) || has(B, X)) {
          EXPECT_TRUE(has(join(A, B), X));
        }
  EXPECT_EQ(join(exactOffset(4), exactOffset(16)), classOffset(4, 12));
  EXPECT_EQ(join(classOffset(0, 8), exactOffset(4)), classOffset(0, 4));
}

TEST(OffsetSet, CoveredSetsAreSubsetsHoweverDisplaced) {
  for (const Offsets &A : samples())
    for (const Offsets &B : samples()) {
      if (!covers(A, B))
        continue;
      for (int64_t X = -Window; X <= Window; ++X)
        EXPECT_TRUE(!has(B, X) || has(A, X));
      for (Displacement D : {Displacement{3, 0, 0}, {1, 4, 0}, {-2, 6, 12}})
        EXPECT_TRUE(covers(displace(A, D), displace(B, D)));
    }
}

TEST(OffsetSet, OverlapNeverMissesASharedByte) {
  for (const Offsets &A : samples())
    for (const Offsets &B : samples())
      for (uint64_t WidthA : {1, 4, 8})
        for (uint64_t WidthB : {2, 8}) {
          bool Share = false;
          auto Fits = [](const Offsets &O, int64_t X, uint64_t W) {
            return !isBounded(O) || X + int64_t(W) <= O.High || int64_t(W) > O.High - O.Low;
          };
          for (int64_t X = -Window; X <= Window && !Share; ++X)
            for (int64_t Y = -Window; Y <= Window && !Share; ++Y)
              Share = has(A, X) && has(B, Y) && Fits(A, X, WidthA) && Fits(B, Y, WidthB) && X < Y + int64_t(WidthB) &&
                      Y < X + int64_t(WidthA);
          bool Unbounded = !isBounded(A) && !isBounded(B);
          if (Share || Unbounded) {
            EXPECT_EQ(mayOverlap(A, WidthA, B, WidthB), Share);
          }
          EXPECT_EQ(mayOverlap(A, WidthA, B, WidthB), mayOverlap(B, WidthB, A, WidthA));
        }
}

TEST(OffsetSet, AnUnknownWidthReachesEverythingBehind) {
  EXPECT_TRUE(mayOverlap(exactOffset(8), 0, exactOffset(1000), 8));
  EXPECT_FALSE(mayOverlap(exactOffset(8), 0, exactOffset(0), 8));
}

TEST(OffsetSet, SeventeenExactOffsetsBecomeOneClass) {
  OffsetSet S;
  for (int64_t I = 0; I < 16; ++I)
    EXPECT_TRUE(S.insert(exactOffset(I * 24)));
  EXPECT_EQ(S.Pieces.size(), 16u);
  EXPECT_TRUE(S.insert(exactOffset(16 * 24)));
  ASSERT_EQ(S.Pieces.size(), 1u);
  EXPECT_EQ(S.Pieces[0], classOffset(0, 24));
  EXPECT_FALSE(S.insert(exactOffset(-240)));
  EXPECT_TRUE(S.insert(exactOffset(8)));
  EXPECT_EQ(S.Pieces[0], classOffset(0, 8));
}

TEST(OffsetSet, TheOrderOfInsertionDoesNotMatter) {
  uint64_t State = 7;
  auto Next = [&](uint64_t N) {
    State = State * 6364136223846793005ULL + 1442695040888963407ULL;
    return (State >> 33) % N;
  };
  std::vector<Offsets> Pool = samples();
  for (int Turn = 0; Turn < 2000; ++Turn) {
    std::vector<Offsets> Chosen;
    for (uint64_t I = 0, N = 1 + Next(24); I < N; ++I)
      Chosen.push_back(Next(3) ? exactOffset(int64_t(Next(30)) * 4) : Pool[Next(Pool.size())]);
    OffsetSet Forward, Backward;
    for (size_t I = 0; I < Chosen.size(); ++I)
      Forward.insert(Chosen[I]);
    for (size_t I = Chosen.size(); I-- > 0;)
      Backward.insert(Chosen[I]);
    ASSERT_TRUE(Forward.Pieces == Backward.Pieces);
  }
}

TEST(OffsetSet, RelativeOffsetsFindEveryOverlap) {
  for (const Offsets &A : samples())
    for (const Offsets &Region : samples())
      for (uint64_t Length : {4, 20}) {
        auto Found = relativeOffsets({A, 8}, Region, Length);
        for (int64_t X = -Window; X <= Window; ++X)
          for (int64_t R = -Window; R <= Window; ++R) {
            bool FitsA = !isBounded(A) || X + 8 <= A.High;
            bool FitsR = !isBounded(Region) || R + int64_t(Length) <= Region.High;
            if (!has(A, X) || !has(Region, R) || !FitsA || !FitsR || X >= R + int64_t(Length) || R >= X + 8)
              continue;
            bool Covered = false;
            for (const Offsets &F : Found)
              Covered |= has(F, X - R);
            EXPECT_TRUE(Covered);
          }
      }
}

TEST(OffsetSet, AMirroredAccessIsMovedNotCut) {
  EXPECT_EQ(mirroredAccess(exactOffset(100), 24, exactOffset(8), 8), (Access{exactOffset(108), 8}));
  EXPECT_EQ(mirroredAccess(exactOffset(100), 12, exactOffset(-4), 8), (Access{exactOffset(96), 8}));
  Access A = mirroredAccess(exactOffset(100), 240, classOffset(8, 24), 8);
  EXPECT_TRUE(isBounded(A.Where));
  EXPECT_TRUE(has(A.Where, 108) && has(A.Where, 132) && !has(A.Where, 100) && !has(A.Where, 340));
}

TEST(OffsetSet, FarOffsetsAreNotToldApart) {
  EXPECT_EQ(displace(exactOffset(int64_t(1) << 59), {int64_t(1) << 60, 0, 0}), anyOffset());
  EXPECT_EQ(displace(exactOffset(0), {INT64_MIN, 0, 0}), anyOffset());
}

} // namespace
