// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-16: a pointer comes out of fetch-or, fetch-add, and fetch-and.
#include "soundness.h"
#include <stdatomic.h>

static _Atomic uintptr_t cell;

static void *user(void *arg) {
  int *p = (int *)(atomic_fetch_and(&cell, ~(uintptr_t)1) & ~(uintptr_t)1);
  *p += 1;
  int *q = (int *)(atomic_fetch_add(&cell, 8) + 8);
  q[0] += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(4, sizeof *block); // shared: FH101
  atomic_fetch_or(&cell, (uintptr_t)block | 1);
  on_thread(user, NULL);
  EXPECT(block[0] == 1 && block[2] == 1);
  free(block);
  return 0;
}
