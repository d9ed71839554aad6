// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-25: what is called, and what is written, bears in this file the name of an alias that another file defines.
//
// steps: CC -c main.c; CC -c other.c; LINK main.o other.o
#include "../soundness.h"

void hold(int *p);
void also_run(void);
int *keep(int *p);
extern int *other_name;

int main(void) {
  int *held = calloc(1, sizeof *held);   // not-local
  int *named = calloc(1, sizeof *named); // shared: FH101
  int *own = calloc(1, sizeof *own);     // local
  hold(held);
  other_name = named;
  also_run();
  EXPECT(*held == 1 && *named == 1);
  EXPECT(keep(own) == own);
  free(held);
  free(named);
  free(own);
  return 0;
}
