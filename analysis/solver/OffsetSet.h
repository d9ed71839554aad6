// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OffsetSet.h - the algebra of byte offsets inside one object, shared by both solvers and tested against brute force.
//
// Three shapes of Offsets: *exact* (Stride 0), *class* (a residue class, unbounded) and *bounded* (a residue class cut to
// [Low, High), the decay of an array member; a bounded set stays in its bounds however it is displaced).
//
// An OffsetSet holds at most MaxPieces exact and bounded pieces, or one class. More pieces, or a class beside anything else,
// join into the smallest class that covers them all (modulus: gcd of strides and differences). This is a closure operator:
// monotone, extensive, idempotent. So the least solution does not depend on the order in which it is reached, and a cycle of
// positive weight ends after MaxPieces turns.
#pragma once

#include "summary/Summary.h"
#include "llvm/ADT/SmallVector.h"

namespace freehold {

/// A set of byte offsets: Base + Stride*n (n any integer), cut to [Low, High) if High > Low. Stride 0: exactly Base.
struct Offsets {
  int64_t Base = 0;
  uint64_t Stride = 0;
  int64_t Low = 0, High = 0;
  bool operator==(const Offsets &O) const;
  bool operator<(const Offsets &O) const;
};

constexpr unsigned MaxPieces = 16;

inline bool isExact(const Offsets &O) { return O.Stride == 0; }
inline bool isBounded(const Offsets &O) { return O.Stride != 0 && O.High > O.Low; }
inline bool isClass(const Offsets &O) { return O.Stride != 0 && O.High <= O.Low; }

Offsets exactOffset(int64_t Base);
Offsets classOffset(int64_t Base, uint64_t Stride);
Offsets anyOffset();

/// Where an address at O lies after D. An overflow gives anyOffset.
Offsets displace(const Offsets &O, const Displacement &D);

/// The smallest class that covers both. Bounds are lost.
Offsets join(const Offsets &A, const Offsets &B);

/// Whether displacing Outer always covers displacing Inner (so an exact offset is never inside a bounded set).
bool covers(const Offsets &Outer, const Offsets &Inner);

/// Whether accesses of WidthA bytes at A and WidthB bytes at B may share a byte. Width 0: everything from there on.
/// A bounded access stays in its bounds unless it is wider than they are.
bool mayOverlap(const Offsets &A, uint64_t WidthA, const Offsets &B, uint64_t WidthB);

class OffsetSet {
public:
  llvm::SmallVector<Offsets, 1> Pieces;                      ///< sorted
  bool insert(const Offsets &O, unsigned Limit = MaxPieces); ///< whether the set grew
  bool covered(const Offsets &O) const;                      ///< insert would change nothing
};

/// A piece of memory: where an access may begin, and how many bytes it touches (0: everything from there on).
struct Access {
  Offsets Where;
  uint64_t Width = 0;
  bool operator==(const Access &A) const { return Width == A.Width && Where == A.Where; }
  bool operator<(const Access &A) const { return Width != A.Width ? Width < A.Width : Where < A.Where; }
};

/// Writes wider than this are copied as "the whole region", not field by field.
constexpr uint64_t MaxFieldWidth = 32;

/// How many places of its region a copy keeps apart.
constexpr unsigned MaxCopiedFields = 64;

/// Where, relative to the begin of a region of Length bytes (0: unknown) at Region, a write of Written.Width <= MaxFieldWidth
/// bytes may begin and still touch the region: exact offsets if they are few, else one class. Empty: never.
llvm::SmallVector<Offsets, 4> relativeOffsets(const Access &Written, const Offsets &Region, uint64_t Length);

/// Whether a write of Width bytes at an exact place of the region sticks out of it. It is then copied as "the whole region":
/// cutting it would let copies in a circle make ever new widths, and with its own width it would reach beyond the copy.
bool isPartial(const Offsets &Relative, uint64_t Width, uint64_t Length);

/// The access in the copy: To is where the copied region begins, Relative a piece of what relativeOffsets gave.
Access mirroredAccess(const Offsets &To, uint64_t Length, const Offsets &Relative, uint64_t Width);

} // namespace freehold
