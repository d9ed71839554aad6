// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-6: a tentative definition in two files, of different sizes.
//
// flags: -fcommon
// steps: CC -c main.c; CC -c other.c; LINK main.o other.o
#include "../soundness.h"

int *cells[1];
void *user(void *arg);

int main(void) {
  int *block = calloc(1, sizeof *block); // shared: FH101
  cells[0] = block;
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
