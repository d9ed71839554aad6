// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-25: an alias of a weak function whose name another file's definition took. The alias still means the body that
// stands beside it, which nothing else names.
//
// steps: CC -c main.c; CC -c weak.c; CC -c strong.c; CLANG -c plain.c; LINK main.o weak.o strong.o plain.o
#include "../soundness.h"

void hold(int *p);
void also_run(void);
void also_run_too(void);

int main(void) {
  int *block = calloc(1, sizeof *block); // not-local
  hold(block);
  also_run();
  EXPECT(*block == 1);
  also_run_too();
  EXPECT(*block == 2);
  free(block);
  return 0;
}
