// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-6: the variable lives in another file, seen here as an array.
//
// steps: CC -c main.c; CC -c other.c; LINK main.o other.o
#include "../soundness.h"

extern int *fields[];
void *user(void *arg);

int main(void) {
  int *block = calloc(1, sizeof *block); // shared: FH101
  fields[1] = block;
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
