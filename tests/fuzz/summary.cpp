// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// summary.cpp - any bytes as a summary: an error or a module, never an undefined access; what was read is written and read again
// without loss.
#include "summary/SummaryIO.h"

#include <cstdlib>

using namespace freehold;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  llvm::Expected<Module> M = readSummary(llvm::StringRef(reinterpret_cast<const char *>(Data), Size));
  if (!M) {
    llvm::consumeError(M.takeError());
    return 0;
  }
  std::string Text = writeSummary(*M);
  llvm::Expected<Module> Again = readSummary(Text);
  if (!Again || writeSummary(*Again) != Text)
    abort();
  return 0;
}
