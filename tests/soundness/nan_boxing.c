// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-3: a pointer in a NaN.
#include "soundness.h"

typedef union {
  double number;
  uint64_t bits;
} boxed;
static double value;

static double box(void *p) {
  boxed b;
  b.bits = (uint64_t)(uintptr_t)p | 0xfff8000000000000u;
  return b.number;
}

static void *user(void *arg) {
  boxed b;
  b.number = value;
  *(int *)(uintptr_t)(b.bits & 0x0007ffffffffffffu) += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // not-local
  value = box(block);
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
