// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SummaryIO.h - a Module as text and back. The text is deterministic, versioned ("fh-summary 2") and checked on reading:
// every index is in range, so that whoever reads a damaged object gets an error and never an undefined access.
#pragma once

#include "summary/Summary.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace freehold {

std::string writeSummary(const Module &M);
llvm::Expected<Module> readSummary(llvm::StringRef Text);

} // namespace freehold
