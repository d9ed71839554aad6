// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-6, 4a-39: the variable belongs to a plain object, whose code reads it on a thread.
//
// steps: CC -c main.c; CLANG -c plain.c; LINK main.o plain.o
#include "../soundness.h"

extern int *cell;
void use_cell(void);

int main(void) {
  int *block = calloc(1, sizeof *block); // not-local
  int *mine = calloc(1, sizeof *mine);   // local
  cell = block;
  use_cell();
  EXPECT(*block == 1 && *mine == 0);
  free(block);
  free(mine);
  return 0;
}
