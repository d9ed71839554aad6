// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-1: the block goes through a second file of ours, which starts the thread.
//
// steps: CC -c main.c; CC -c other.c; LINK main.o other.o
#include "../soundness.h"

void pass_on(int *p);
int stay(int *p);

int main(void) {
  int *block = calloc(1, sizeof *block); // shared: FH102
  int *mine = calloc(1, sizeof *mine);   // local
  pass_on(block);
  EXPECT(*block == 1 && stay(mine) == 1);
  free(block);
  free(mine);
  return 0;
}
