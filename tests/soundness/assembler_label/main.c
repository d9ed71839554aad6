// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-27: an assembler label gives a declaration another name; one of them is malloc's.
//
// steps: CC -c main.c; CC -c other.c; LINK main.o other.o
#include "../soundness.h"

void harmless(int *p) __asm__("publish");
void *obtain(size_t n) __asm__("malloc");
void use_kept(void);

int main(void) {
  int *block = obtain(sizeof *block); // not-local
  *block = 0;
  harmless(block);
  use_kept();
  EXPECT(*block == 1);
  free(block);
  return 0;
}
