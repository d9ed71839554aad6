// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OffsetSet.cpp - see OffsetSet.h.
#include "solver/OffsetSet.h"
#include <algorithm>
#include <numeric>
#include <tuple>

namespace freehold {

// Offsets beyond this are not told apart: no sum of two of them overflows.
constexpr int64_t Limit = int64_t(1) << 60;
constexpr int64_t Infinity = int64_t(1) << 62;

static int64_t floorMod(int64_t Value, uint64_t Modulus) {
  if (Modulus > uint64_t(Limit))
    return Value;
  int64_t R = Value % int64_t(Modulus);
  return R < 0 ? R + int64_t(Modulus) : R;
}

static bool tooFar(int64_t V) { return V > Limit || V < -Limit; }

bool Offsets::operator==(const Offsets &O) const {
  return std::tie(Base, Stride, Low, High) == std::tie(O.Base, O.Stride, O.Low, O.High);
}
bool Offsets::operator<(const Offsets &O) const {
  return std::tie(Base, Stride, Low, High) < std::tie(O.Base, O.Stride, O.Low, O.High);
}

Offsets anyOffset() { return {0, 1, 0, 0}; }

Offsets exactOffset(int64_t Base) { return tooFar(Base) ? anyOffset() : Offsets{Base, 0, 0, 0}; }

Offsets classOffset(int64_t Base, uint64_t Stride) {
  if (Stride > uint64_t(Limit))
    return anyOffset();
  return {floorMod(Base, Stride), Stride, 0, 0};
}

Offsets displace(const Offsets &O, const Displacement &D) {
  if (tooFar(D.Offset) || D.Stride > uint64_t(Limit) || D.Length > uint64_t(Limit)) {
    if (isBounded(O))
      return {0, 1, O.Low, O.High};
    return anyOffset();
  }
  int64_t Base = O.Base + D.Offset;
  uint64_t Stride = std::gcd(O.Stride, D.Stride);
  if (isBounded(O))
    return {floorMod(Base, Stride), Stride, O.Low, O.High};
  if (Stride == 0)
    return exactOffset(Base);
  if (isClass(O) || D.Length == 0)
    return classOffset(Base, Stride);
  if (tooFar(Base) || tooFar(Base + int64_t(D.Length)))
    return anyOffset();
  return {floorMod(Base, Stride), Stride, Base, Base + int64_t(D.Length)};
}

Offsets join(const Offsets &A, const Offsets &B) {
  uint64_t Difference = A.Base > B.Base ? uint64_t(A.Base) - uint64_t(B.Base) : uint64_t(B.Base) - uint64_t(A.Base);
  uint64_t Stride = std::gcd(std::gcd(A.Stride, B.Stride), Difference);
  return Stride == 0 ? A : classOffset(A.Base, Stride);
}

bool covers(const Offsets &Outer, const Offsets &Inner) {
  if (Outer == Inner)
    return true;
  if (isExact(Outer) || Inner.Stride % Outer.Stride != 0 || floorMod(Inner.Base - Outer.Base, Outer.Stride) != 0)
    return false;
  if (isClass(Outer))
    return true;
  return isBounded(Inner) && Outer.Low <= Inner.Low && Inner.High <= Outer.High;
}

namespace {
struct Range {
  int64_t Low, High; // [Low, High)
};
} // namespace

static int64_t saturatingEnd(int64_t Begin, uint64_t Width) {
  return Width == 0 || Width > uint64_t(Limit) ? Infinity : std::min(Infinity, Begin + int64_t(Width));
}

static Range hull(const Offsets &O, uint64_t Width) {
  if (isExact(O))
    return {O.Base, saturatingEnd(O.Base, Width)};
  if (isClass(O))
    return {-Infinity, Infinity};
  bool Fits = Width <= uint64_t(O.High - O.Low); // an unknown width stays in the bounds too
  return {O.Low, Fits ? O.High : saturatingEnd(O.High, Width)};
}

bool mayOverlap(const Offsets &A, uint64_t WidthA, const Offsets &B, uint64_t WidthB) {
  Range RA = hull(A, WidthA), RB = hull(B, WidthB);
  if (RA.High <= RB.Low || RB.High <= RA.Low)
    return false;
  uint64_t Stride = std::gcd(A.Stride, B.Stride);
  if (Stride == 0 || WidthA == 0 || WidthB == 0)
    return true;
  // B begins Distance bytes after some A, or Stride - Distance bytes before another.
  uint64_t Distance = floorMod(B.Base - A.Base, Stride);
  return Distance < WidthA || Stride - Distance < WidthB;
}

bool OffsetSet::covered(const Offsets &O) const {
  if (Pieces.size() == 1 && isClass(Pieces[0]))
    return covers(Pieces[0], O);
  return std::binary_search(Pieces.begin(), Pieces.end(), O);
}

bool OffsetSet::insert(const Offsets &O, unsigned Limit) {
  if (covered(O))
    return false;
  Pieces.insert(std::lower_bound(Pieces.begin(), Pieces.end(), O), O);
  bool AnyClass = std::any_of(Pieces.begin(), Pieces.end(), isClass);
  if (Pieces.size() == 1 || (!AnyClass && Pieces.size() <= Limit))
    return true;
  Offsets All = Pieces[0];
  for (const Offsets &P : Pieces)
    All = join(All, P);
  // Pieces that differ in their bounds only may join to nothing wider than their own class.
  Pieces.assign(1, isExact(All) ? All : classOffset(All.Base, All.Stride));
  return true;
}

// First and last address at which a piece may begin.
static Range begins(const Offsets &O) {
  if (isExact(O))
    return {O.Base, O.Base};
  if (isClass(O))
    return {-Infinity, Infinity};
  return {O.Low, O.High - 1};
}

llvm::SmallVector<Offsets, 4> relativeOffsets(const Access &Written, const Offsets &Region, uint64_t Length) {
  llvm::SmallVector<Offsets, 4> Result;
  if (!mayOverlap(Written.Where, Written.Width, Region, Length))
    return Result;
  Range A = begins(Written.Where), S = begins(Region);
  int64_t First = -int64_t(Written.Width) + 1, Last = saturatingEnd(0, Length) - 1;
  if (A.Low > -Infinity && S.High < Infinity)
    First = std::max(First, A.Low - S.High);
  if (A.High < Infinity && S.Low > -Infinity)
    Last = std::min(Last, A.High - S.Low);
  uint64_t Stride = std::gcd(Written.Where.Stride, Region.Stride);
  int64_t Base = Written.Where.Base - Region.Base;
  if (Stride == 0) {
    if (First <= Base && Base <= Last)
      Result.push_back(exactOffset(Base));
    return Result;
  }
  int64_t Begin = First + floorMod(Base - First, Stride);
  if (Begin > Last)
    return Result;
  if (uint64_t(Last - Begin) / Stride >= MaxPieces) {
    Result.push_back(classOffset(Base, Stride));
    return Result;
  }
  for (int64_t R = Begin; R <= Last; R += int64_t(Stride))
    Result.push_back(exactOffset(R));
  return Result;
}

bool isPartial(const Offsets &Relative, uint64_t Width, uint64_t Length) {
  if (!isExact(Relative) || (Relative.Base >= 0 && Length == 0))
    return false;
  return Relative.Base < 0 || uint64_t(Relative.Base) + Width > Length;
}

Access mirroredAccess(const Offsets &To, uint64_t Length, const Offsets &Relative, uint64_t Width) {
  if (isExact(Relative))
    return {displace(To, {Relative.Base, 0, 0}), Width};
  return {displace(displace(To, {0, Relative.Stride, Length}), {Relative.Base, 0, 0}), Width};
}

} // namespace freehold
