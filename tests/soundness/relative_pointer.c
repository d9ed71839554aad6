// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-2: the distance between two blocks is stored and added later.
#include "soundness.h"

struct base {
  intptr_t distance;
};

static void *user(void *arg) {
  struct base *b = arg;
  int *other = (int *)((intptr_t)b + b->distance);
  *other += 1;
  return NULL;
}

int main(void) {
  struct base *b = malloc(sizeof *b);    // shared: FH102
  int *block = calloc(1, sizeof *block); // not-local
  b->distance = (intptr_t)block - (intptr_t)b;
  on_thread(user, b);
  EXPECT(*block == 1);
  free(b);
  free(block);
  return 0;
}
