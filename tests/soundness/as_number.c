// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-4: a pointer becomes a floating-point number and back.
#include "soundness.h"

static double number;

static void *user(void *arg) {
  int *p = (int *)(uintptr_t)number;
  *p += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // unknown: FH201
  number = (double)(uintptr_t)block;
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
