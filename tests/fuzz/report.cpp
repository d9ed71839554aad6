// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// report.cpp - any bytes as a JSON report: an error or a report; what was read can be drawn, and is the same when read again.
#include "Report.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace freehold;

static std::string json(const Report &R) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  printJSON(R, OS);
  return OS.str();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  llvm::Expected<Report> R = readJSON(llvm::StringRef(reinterpret_cast<const char *>(Data), Size));
  if (!R) {
    llvm::consumeError(R.takeError());
    return 0;
  }
  std::string Text = json(*R);
  llvm::Expected<Report> Again = readJSON(Text);
  if (!Again || json(*Again) != Text)
    abort();
  return 0;
}
