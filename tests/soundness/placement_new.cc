// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-10: an object made in a character buffer.
#include "soundness.h"
#include <new>

struct Holder {
  explicit Holder(int *p) : block(p) {}
  long pad = 0;
  int *block;
};
alignas(Holder) static char buffer[sizeof(Holder)];

static void *user(void *) {
  *reinterpret_cast<Holder *>(buffer)->block += 1;
  return nullptr;
}

int main() {
  int *block = new int(1); // shared: FH101
  new (buffer) Holder(block);
  on_thread(user, nullptr);
  EXPECT(*block == 2);
  delete block;
  return 0;
}
