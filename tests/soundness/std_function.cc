// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-16: a type-erased callable with its captures moves to another thread.
#include "soundness.h"
#include <functional>

static void *runner(void *arg) {
  auto *f = static_cast<std::function<void()> *>(arg);
  (*f)();
  return nullptr;
}

int main() {
  int *block = new int(1); // not-local
  long a = 1, b = 2, c = 3;
  std::function<void()> f = [block, a, b, c] { *block += static_cast<int>(a + b + c); };
  on_thread(runner, &f);
  EXPECT(*block == 7);
  delete block;
  return 0;
}
