// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipeline.h - read, merge, solve, judge: the analysis as analyze and explain use it.
#pragma once

#include "Options.h"
#include "Report.h"

namespace freehold {

/// Warnings go to standard error.
llvm::Expected<Report> analyzeInputs(const AnalyzeOptions &O);

} // namespace freehold
