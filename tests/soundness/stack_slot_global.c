// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-7: the address of a stack slot in a variable.
#include "soundness.h"

static int ***published;

static void *user(void *arg) {
  ***published = 5;
  return NULL;
}

int main(void) {
  int *block = malloc(sizeof *block); // shared: FH101
  int **slot = &block;
  *block = 4;
  published = &slot;
  on_thread(user, NULL);
  EXPECT(*block == 5);
  free(block);
  return 0;
}
