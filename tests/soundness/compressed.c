// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-4: a pointer shifted into 32 bits plus a base.
#include "soundness.h"

static uint32_t narrow;
static uintptr_t base;

static void *user(void *arg) {
  int *p = (int *)(base + ((uintptr_t)narrow << 4));
  *p += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // not-local
  base = (uintptr_t)block & ~(uintptr_t)0xfffffff;
  narrow = (uint32_t)(((uintptr_t)block - base) >> 4);
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
