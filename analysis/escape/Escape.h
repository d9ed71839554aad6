// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Escape.h - thread-escape verdicts on a solved Program.
//
// Rule `reachable` (Sade, Sagiv, Shaham, CC 2005, Figure 4, completed by thread results): a block is shared if it is reachable
// from a variable that is not thread-local, from a value that crosses threads (Solution::Roots), or escaped. A witness is the
// shortest path found backwards over the constraints with their source positions.
#pragma once

#include "Report.h"
#include "solver/Solver.h"

namespace freehold {

/// Fills Report::Sites, the summary counts that depend on verdicts, and the assumptions. Sites of functions that nothing reaches
/// are left out and counted (Summary.Unreachable). Sites of equal Id are one entry, shared if one of them is. A witness step's
/// File is relative to Base; order is by file, line, column, context. Models, where given, let witnesses go through calls of
/// library functions.
void judgeReachable(const Program &P, const Solution &S, const Resolution &R, llvm::StringRef Base, Report &Out,
                    const Models *M = nullptr);

} // namespace freehold
