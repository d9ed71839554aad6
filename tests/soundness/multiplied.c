// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-4: a pointer multiplied by an odd constant, undone by its inverse.
#include "soundness.h"

static uint64_t hidden;

static void *user(void *arg) {
  int *p = (int *)(uintptr_t)(hidden * 0xaaaaaaaaaaaaaaabu);
  *p += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // not-local
  hidden = (uint64_t)(uintptr_t)block * 3;
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
