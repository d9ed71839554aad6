// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-39: what `freehold-cc -r` made is followed like the objects it was made of: of two weak definitions the first one
// counts.
//
// steps: CC -c main.c; CC -c keeps.c; CC -c harmless.c; CC -r keeps.o harmless.o -o joined.o; LINK main.o joined.o
#include "../soundness.h"

void take(int *p);
void use_kept(void);
void touch(int *p);

int main(void) {
  int *block = calloc(1, sizeof *block); // not-local
  int *own = calloc(1, sizeof *own);     // local
  take(block);
  touch(own);
  use_kept();
  EXPECT(*block == 1 && *own == 1);
  free(block);
  free(own);
  return 0;
}
