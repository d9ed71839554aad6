// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-28, 4b-29: our archive's member stays out, a plain object's function of that name is linked.
//
// steps: CC -c main.c; CC -c other.c; AR rcs libother.a other.o; CLANG -c plain.c; LINK main.o plain.o libother.a
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
