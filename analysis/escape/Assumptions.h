// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assumptions.h - the report's ledger of assumptions (FH901 to FH905, docs/soundness.md).
#pragma once

#include "escape/Names.h"

namespace freehold {

std::vector<Assumption> collectAssumptions(const Program &P, const Solution &S, const Resolution &R, const Names &N);

} // namespace freehold
