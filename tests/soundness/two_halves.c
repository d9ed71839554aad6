// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-4: two 32-bit halves.
#include "soundness.h"

static uint32_t low, high;

static void *user(void *arg) {
  int *p = (int *)(((uintptr_t)high << 32) | low);
  *p += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // unknown: FH201
  low = (uint32_t)(uintptr_t)block;
  high = (uint32_t)((uintptr_t)block >> 32);
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
