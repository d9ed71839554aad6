// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-39: a plain object reads a variable of ours on a thread.
//
// steps: CC -c main.c; CLANG -c plain.c; LINK main.o plain.o
#include "../soundness.h"

int *cell;
void use_cell(void);

int main(void) {
  int *block = calloc(1, sizeof *block); // not-local
  cell = block;
  use_cell();
  EXPECT(*block == 1);
  free(block);
  return 0;
}
