// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reasons.h - the stable reason codes in one line each; docs/reasons/ has a page for every code.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace freehold {

struct ReasonInfo {
  unsigned Code;
  const char *Meaning; ///< completes "the block is ..." for FH1xx to FH3xx; a sentence for FH9xx
  const char *Cut;     ///< what can be done about it, in the imperative
};

/// All codes, ascending.
llvm::ArrayRef<ReasonInfo> reasonTable();
/// Null for a number that is no reason code.
const ReasonInfo *findReason(unsigned Code);
const ReasonInfo *findReason(llvm::StringRef Code);
/// The page of docs/reasons for a code of the table (FH102), as Markdown.
llvm::StringRef reasonPage(llvm::StringRef Code);
/// 102 gives FH102.
std::string reasonName(unsigned Code);

} // namespace freehold
