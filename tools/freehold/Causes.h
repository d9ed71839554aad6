// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Causes.h - why values are external: for people and for bench/analysis, never for a verdict.
#pragma once

#include "solver/Solver.h"

namespace freehold {

struct CauseCount {
  ReasonCode Code = 0; ///< 0: none applies
  std::string Text;
  uint64_t Count = 0;
};

struct Causes {
  uint64_t Values = 0, External = 0;
  std::vector<CauseCount> OfValues; ///< every external value under its nearest cause; most first
  uint64_t Objects = 0, Escaped = 0;
  std::vector<CauseCount> OfObjects; ///< every escaped object under the first cause that the solver saw
};

/// S is finished. The nearest cause of a value is that of the source from which externality reaches it by the fewest steps.
Causes findCauses(const Program &P, const Solution &S);

} // namespace freehold
