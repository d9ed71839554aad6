// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4c-20: a thread is started by an unknown library's wrapper.
//
// steps: CC -c main.c; CLANG -c plain.c; LINK main.o plain.o
#include "../soundness.h"

void run_in_thread(void *(*f)(void *), void *p);
static int *kept;

static void *entry(void *arg) {
  *kept += 1;
  *(int *)arg += 1;
  return NULL;
}

int main(void) {
  kept = calloc(1, sizeof *kept);        // shared: FH101
  int *block = calloc(1, sizeof *block); // shared: FH306
  run_in_thread(entry, block);
  EXPECT(*kept == 1 && *block == 1);
  free(kept);
  free(block);
  return 0;
}
