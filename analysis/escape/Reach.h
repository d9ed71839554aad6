// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reach.h - which abstract objects another thread can come to: the closure of the paper's Figure 4 over object contents.
//
// Escaped objects are roots each by itself, so what is implied by an external value or an external word adds nothing.
//
// Distance 0 are the thread roots: variables that are not thread-local, pointees of values that cross threads, escaped objects.
// What the words of a reached object may point to is reached one further. Two grades, since a verdict shall say whether a witness
// was seen or something was not understood: Strong from roots of group FH1xx and FH3xx, Weak where only FH2xx roots lead to the
// object.
#pragma once

#include "solver/Solver.h"

namespace freehold {

enum class Grade : uint8_t { None, Weak, Strong };

/// Group FH1xx and FH3xx: another thread or an external comes to it. The rest was not understood.
inline bool isStrong(ReasonCode Code) { return Code / 100 == 1 || Code / 100 == 3; }

struct RootCause {
  ReasonCode Code = 0;
  SourceLoc Loc;
  std::string Text;
};

struct Reach {
  std::vector<Grade> Of;        ///< per object
  std::vector<Index> From;      ///< per object: the one that leads to it, one nearer to the root; None at a root
  std::vector<RootCause> Cause; ///< per object: at a root
};

Reach computeReach(const Program &P, const Solution &S);

/// A variable every thread can name.
bool isGlobalRoot(const Program &P, const Solution &S, Index Object);

} // namespace freehold
