// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-25: a weak alias; in `lost` a strong definition of another file prevailed over it, in `won` nothing did.
//
// steps: CC -c main.c; CC -c weak.c; CC -c strong.c; LINK main.o weak.o strong.o
#include "../soundness.h"

void lost(int *p);
void won(int *p);
void use_kept(void);

int main(void) {
  int *a = calloc(1, sizeof *a); // not-local
  int *b = calloc(1, sizeof *b); // local
  lost(a);
  won(b);
  use_kept();
  EXPECT(*a == 1 && *b == 1);
  free(a);
  free(b);
  return 0;
}
