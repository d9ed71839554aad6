// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Capture.h - what the analysis of one link was given, as bitcode without code: the summaries as they came, in freehold.summary,
// and the linker's answer, in freehold.resolution. `freehold analyze` reads it like any other bitcode and gives that link's
// verdicts, as often as wanted and with other settings, without linking again (bench/analysis).
//
// freehold.resolution is one string of lines: `whole 0|1`, `linker 0|1`, `all 0|1`, `symbol OUTSIDE VISIBLE TAG NAME`,
// `redefined NAME`, `plain NAME WHERE`. A line that is none of these is an error.
#pragma once

#include "solver/Program.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace llvm {
class Module;
}

namespace freehold {

/// Writes FileName beside first, then renames it. IR still holds its summaries.
llvm::Error writeCapture(llvm::Module &IR, const Resolution &R, llvm::StringRef FileName);

/// Nothing if M is no capture.
llvm::Expected<std::optional<Resolution>> readCapture(const llvm::Module &M);

} // namespace freehold
