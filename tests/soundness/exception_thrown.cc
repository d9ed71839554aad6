// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-14: what is thrown is caught further up and handed on.
#include "soundness.h"

struct Failure {
  int *detail;
};

static void *reader(void *arg) {
  *static_cast<int *>(arg) += 1;
  return nullptr;
}
__attribute__((noinline)) static void fail(int *p) { throw Failure{p}; }

int main() {
  int *block = new int(1); // not-local
  try {
    fail(block);
  } catch (const Failure &f) {
    on_thread(reader, f.detail);
  }
  EXPECT(*block == 2);
  delete block;
  return 0;
}
