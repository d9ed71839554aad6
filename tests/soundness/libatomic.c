// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-16: an atomic struct too large for the machine goes through libatomic.
//
// link: -latomic
// needs: libatomic
#include "soundness.h"
#include <stdatomic.h>

struct wide {
  long a, b;
  int *block;
};
static _Atomic struct wide cell;

static void *user(void *arg) {
  struct wide w = atomic_load(&cell);
  *w.block += (int)w.b;
  return NULL;
}

int main(void) {
  struct wide w = {1, 2, calloc(1, sizeof(int))}; // shared: FH101
  atomic_store(&cell, w);
  on_thread(user, NULL);
  EXPECT(*w.block == 2);
  free(w.block);
  return 0;
}
