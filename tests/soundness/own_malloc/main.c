// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-26: the program has its own malloc and free.
//
// sanitizer: none
// steps: CC -c main.c; CC -c allocator.c; LINK main.o allocator.o
#include "../soundness.h"

int is_ours(const void *p);

int main(void) {
  int *block = malloc(sizeof *block); // not-rewritten
  EXPECT(is_ours(block));
  free(block);
  return 0;
}
