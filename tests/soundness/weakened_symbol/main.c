// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-28: objcopy --weaken makes our function give way to a plain one.
//
// steps: CC -c main.c; CC -c other.c; OBJCOPY --weaken other.o; CLANG -c plain.c; LINK main.o other.o plain.o
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
