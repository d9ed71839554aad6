// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-35: a thread_local's destructor runs on its own thread.
#include "soundness.h"

struct Holder {
  int *block = nullptr;
  ~Holder() { delete block; }
};
static thread_local Holder holder;

static void *user(void *) {
  holder.block = new int(1); // local
  *holder.block += 1;
  return nullptr;
}

int main() {
  user(nullptr);
  on_thread(user, nullptr);
  return 0;
}
