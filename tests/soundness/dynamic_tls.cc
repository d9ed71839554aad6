// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-46: a thread_local with a dynamic initialiser whose address is given away.
#include "soundness.h"

static int *make() { return new int(3); } // shared: FH102
static thread_local int *cell = make();

static void *user(void *arg) {
  **static_cast<int **>(arg) += 1;
  return nullptr;
}

int main() {
  on_thread(user, &cell);
  EXPECT(*cell == 4);
  delete cell;
  return 0;
}
