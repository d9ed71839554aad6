// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-28: a weak table of ours is replaced by another.
//
// steps: CC -c main.c; CLANG -c plain.c; LINK main.o plain.o
#include "../soundness.h"

typedef void (*keeper)(int *);
static void ignore(int *p) { (void)p; }
__attribute__((weak)) keeper table[1] = {ignore};
void use_kept(void);

int main(void) {
  int *block = calloc(1, sizeof *block); // not-local
  table[0](block);
  use_kept();
  EXPECT(*block == 1);
  free(block);
  return 0;
}
