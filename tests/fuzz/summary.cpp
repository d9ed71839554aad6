// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// summary.cpp - any bytes as a summary: an error or a module, never an undefined access; what was read is written and read again
// without loss. The checksum would stop nearly every changed input, so the contents are tried under a new one too. What a forged
// summary may hold must not harm who merges modules either.
#include "solver/Program.h"
#include "summary/SummaryIO.h"

#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace freehold;

static void read(llvm::StringRef Bytes) {
  llvm::Expected<Module> M = readSummary(Bytes);
  if (!M) {
    llvm::consumeError(M.takeError());
    return;
  }
  std::string Text = writeSummary(*M);
  llvm::Expected<Module> Again = readSummary(Text);
  if (!Again || writeSummary(*Again) != Text)
    abort();
  llvm::raw_null_ostream Nowhere;
  dumpSummary(*M, Nowhere);
  mergeModules({*M, *Again}, Resolution());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  llvm::StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  constexpr size_t Before = sizeof("fh-summary 3\n") - 1 + 8, After = 8; // SummaryIO.h
  read(Bytes);
  if (Size >= Before + After)
    read(sealSummary(Bytes.drop_front(Before).drop_back(After)));
  return 0;
}
