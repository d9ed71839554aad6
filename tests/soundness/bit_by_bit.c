// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-6: a pointer is rebuilt bit by bit, by branches alone.
#include "soundness.h"

static int *rebuilt;

static int *rebuild(uintptr_t number) {
  uintptr_t copy = 0;
  for (int i = 0; i < 64; i++)
    if (number >> i & 1)
      copy |= (uintptr_t)1 << i;
  return (int *)copy;
}

static void *user(void *arg) {
  *rebuilt += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // not-local
  rebuilt = rebuild((uintptr_t)block);
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
