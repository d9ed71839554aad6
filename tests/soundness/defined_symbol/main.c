// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-27: --defsym gives a name to another function.
//
// steps: CC -c main.c; CC -c other.c; LINK main.o other.o -Wl,--defsym=take=publish
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
