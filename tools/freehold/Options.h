// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options.h - one table of options feeds parsing and help.
#pragma once

#include "Verbs.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace freehold {

enum class OutputFormat { Text, JSON };

/// What analyze was asked; explain takes the same options for its inputs.
struct AnalyzeOptions {
  std::vector<std::string> Inputs;
  std::vector<std::string> CompilerFlags; ///< behind --
  std::optional<OutputFormat> Format;     ///< default: by the suffix of Output, else text
  std::string Output;                     ///< empty or "-": standard output
  std::string PointsTo = "field-sensitive";
  std::string Base, ModelsDir, Stats;
  std::optional<unsigned> ContextDepth; ///< default: the solver's
  unsigned Copies = 1;                  ///< of each program under new names, for bench/analysis
  std::optional<uint64_t> WorkLimit;
  bool Stress = false; ///< unsound, for bench/analysis
  bool Timings = false, CheckSolver = false, Quiet = false, Summaries = false;
};

/// Positional arguments and those behind -- end up in Inputs and CompilerFlags.
llvm::Expected<AnalyzeOptions> parseAnalyzeOptions(llvm::ArrayRef<llvm::StringRef> Args);

/// The options among Args that say how inputs are analysed, with the inputs and flags: the words that give the same verdicts
/// again.
std::string sameAnalysis(llvm::ArrayRef<llvm::StringRef> Args);

/// The options as help text, one or more lines each: those of analyze, and of explain, which has no --timings.
std::string analyzeHelp();
std::string explainHelp();

} // namespace freehold
