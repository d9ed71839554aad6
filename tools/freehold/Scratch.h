// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scratch.h - a temporary folder and the compiler that fills it. A signal that ends this program ends the compiler with all that
// it has started, and the folder goes too.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"

namespace freehold {

/// Deleted with the files in it. One at a time.
class ScratchFolder {
public:
  ~ScratchFolder();
  llvm::Error make();
  llvm::SmallString<128> Path; ///< empty before make
};

/// Runs a command (its first word is the program's path) and waits. Its exit code, or -1 with a message.
int runChild(llvm::ArrayRef<std::string> Words, std::string &Message);

} // namespace freehold
