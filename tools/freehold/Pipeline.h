// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipeline.h - read, merge, solve, judge: the analysis as analyze and explain use it.
#pragma once

#include "Options.h"
#include "Report.h"

namespace freehold {

/// A report that could not be written in the end shall not cost the analysis first.
llvm::Error checkOutput(const AnalyzeOptions &O);
/// Calls Print with where -o and --format say to, with the form, and with whether colours can be seen there.
llvm::Error writeOutput(const AnalyzeOptions &O, llvm::function_ref<void(llvm::raw_ostream &, Format, bool Colour)> Print);

/// Warnings go to standard error.
llvm::Expected<Report> analyzeInputs(const AnalyzeOptions &O);

} // namespace freehold
