// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-27: objcopy --redefine-sym sends a call elsewhere in the native half only.
//
// steps: CC -c main.c; CC -c other.c; OBJCOPY --redefine-sym take=publish main.o; LINK main.o other.o
#include "../soundness.h"

void take(int *p);
void use_kept(void);

int main(void) {
  int *block = calloc(1, sizeof *block); // not-rewritten
  take(block);
  use_kept();
  EXPECT(*block == 1);
  free(block);
  return 0;
}
