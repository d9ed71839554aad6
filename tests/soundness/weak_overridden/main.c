// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-28: a weak function of ours is replaced by a plain object's.
//
// steps: CC -c main.c; CLANG -c plain.c; LINK main.o plain.o
#include "../soundness.h"

__attribute__((weak)) void keep(int *p);
__attribute__((weak)) void keep(int *p) { (void)p; }
void use_kept(void);

int main(void) {
  int *block = calloc(1, sizeof *block); // not-local
  keep(block);
  use_kept();
  EXPECT(*block == 1);
  free(block);
  return 0;
}
