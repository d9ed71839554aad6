// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-16: a pointer beside a counter in one 128-bit compare-and-exchange.
//
// flags: -mcx16
#include "soundness.h"

typedef unsigned __int128 wide;
static wide cell __attribute__((aligned(16)));

static void *user(void *arg) {
  wide now = __sync_val_compare_and_swap(&cell, 0, 0);
  int *p = (int *)(uintptr_t)now;
  *p += (int)(now >> 64);
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // not-local
  wide next = (wide)3 << 64 | (uintptr_t)block;
  EXPECT(__sync_bool_compare_and_swap(&cell, 0, next));
  on_thread(user, NULL);
  EXPECT(*block == 3);
  free(block);
  return 0;
}
