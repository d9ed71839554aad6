// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options.h - freehold-cc's own options: one table that feeds parsing, --help, and the check of the man page.
//
// All begin with --freehold-; whatever does not is clang's and never looked at here.
#pragma once

#include "Process.h"

#include <string>

namespace freehold::cc {

/// Exit codes of the wrapper's own errors; otherwise it ends with clang's.
enum ExitCode { ExitUsage = 2, ExitInput = 3, ExitNoCompiler = 127 };

struct Options {
  bool Off = false, Check = false, Timings = false, NoRpath = false;
  std::string PointsTo = "field-sensitive", Escape = "reachable", Base, Models, Capture;
  Strings Reports, ForceLocal; // ForceLocal, Capture: hooks of tests and of bench/analysis (transform/Config.h)
};

/// Takes one argument. Not ours: false. A usage error: true and Error is set.
bool takeOption(const std::string &Argument, Options &O, std::string &Error);

/// Is a file of this name, source or output, a probe of a configure script, of CMake or of Meson? Such links leave no report.
bool isProbe(const std::string &Path);

/// The report's path for this output: %o becomes its base name. Absolute.
std::string reportPath(const std::string &Report, const std::string &Output);

/// Empty if a file can be written beside Path and renamed to it, else why not.
std::string whyUnwritable(const std::string &Path);

/// The text of --help.
std::string helpText(const std::string &Program, const std::string &ClangName);

} // namespace freehold::cc
