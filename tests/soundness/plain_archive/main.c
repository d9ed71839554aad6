// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-39: the plain code is a member of an archive.
//
// steps: CC -c main.c; CLANG -c plain.c; AR rcs libplain.a plain.o; LINK main.o libplain.a
#include "../soundness.h"

void keep(int *p);
void use_kept(void);

int main(void) {
  int *block = calloc(1, sizeof *block); // shared: FH306
  keep(block);
  use_kept();
  EXPECT(*block == 1);
  free(block);
  return 0;
}
