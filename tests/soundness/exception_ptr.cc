// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-14: an exception caught on one thread is thrown again on another.
#include "soundness.h"
#include <exception>

struct Failure {
  int *detail;
};
static std::exception_ptr kept;

static void *thrower(void *) {
  try {
    throw Failure{new int(6)}; // not-local
  } catch (...) {
    kept = std::current_exception();
  }
  return nullptr;
}

int main() {
  on_thread(thrower, nullptr);
  try {
    std::rethrow_exception(kept);
  } catch (Failure &f) {
    EXPECT(*f.detail == 6);
    delete f.detail;
  }
  return 0;
}
