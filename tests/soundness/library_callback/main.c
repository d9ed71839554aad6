// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-37: a function handed to plain code is run by a thread of that code.
//
// steps: CC -c main.c; CLANG -c plain.c; LINK main.o plain.o
#include "../soundness.h"

void later(void (*f)(void *), void *p);
void run_now(void);
static int *hidden;

static void callback(void *p) {
  *hidden += 1;
  *(int *)p += 1;
}

int main(void) {
  hidden = calloc(1, sizeof *hidden);    // shared: FH101
  int *block = calloc(1, sizeof *block); // shared: FH306
  later(callback, block);
  run_now();
  EXPECT(*hidden == 1 && *block == 1);
  free(hidden);
  free(block);
  return 0;
}
