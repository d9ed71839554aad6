// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-39: what `ld -r` made counts as plain.
//
// steps: CC -c main.c; CC -c other.c; LD -r other.o -o joined.o; LINK main.o joined.o
#include "../soundness.h"

void take(int *p);
void use_kept(void);

int main(void) {
  int *block = calloc(1, sizeof *block); // not-local
  take(block);
  use_kept();
  EXPECT(*block == 1);
  free(block);
  return 0;
}
