// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts.h - heap cloning: one abstract object for each way an allocation wrapper is called.
//
// Without it zlib's zcalloc has one object for everything it ever returned, and whatever is written into a window is written
// into every stream's state. A wrapper is a small function that returns, or stores through a parameter, memory it has just
// allocated, itself or through another wrapper (compare Nystrom, Kim, Hwu, SAS 2004; Lattner, Lenharth, Adve, PLDI 2007). It is
// copied for each call that may reach it, through pointers too: its values, stack slots and calls, and so its heap objects. The
// copies use a first solution's call graph only to know which copies to make: a call for which there is none uses the original,
// so any call graph gives a sound result.
//
// Cost: two solutions instead of one; copies are limited by a budget, in the order of calls, so the result is deterministic.
#pragma once

#include "solver/Solver.h"

namespace freehold {

struct ContextOptions {
  unsigned Depth = 3;            ///< wrapper frames told apart; 0: no cloning
  unsigned MaxWrapperSize = 400; ///< constraints of a function that is still called a wrapper
  unsigned Budget = 200000;      ///< constraints in all copies together, at least
  unsigned Growth = 2;           ///< or so many for each constraint of the program
};

/// Adds copies to P (P.Clones). First is a solution of P. Returns how many.
unsigned addContexts(Program &P, const Solution &First, const ContextOptions &O = {});

/// Solves, adds contexts, solves again. P is what the returned Solution is about. If the second solution is over the work limit,
/// the first one holds and the copies are taken back; if the first one is, it is returned unfinished.
/// WithContexts, if given, is set to whether that did not happen.
Solution solveInContexts(Program &P, const Models &M, const SolverOptions &S = {}, const ContextOptions &O = {},
                         bool *WithContexts = nullptr);

} // namespace freehold
