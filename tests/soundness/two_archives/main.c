// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-29: two archive members of ours with static functions and variables of one name.
//
// steps: CC -c main.c; CC -c one.c; CC -c two.c; AR rcs libboth.a one.o two.o; LINK main.o libboth.a
#include "../soundness.h"

void one(int *p);
void two(int *p);
void use_kept(void);

int main(void) {
  int *a = calloc(1, sizeof *a); // local
  int *b = calloc(1, sizeof *b); // shared: FH101
  one(a);
  two(b);
  use_kept();
  EXPECT(*a == 5 && *b == 1);
  free(a);
  free(b);
  return 0;
}
