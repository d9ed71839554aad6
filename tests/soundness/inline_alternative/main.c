// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C11 6.7.4p7: an inline definition is an alternative to the external one, and either may be called: here they differ.
// Which one it is the compiler says: the verdict follows, and the owner check sees whether it is right.
//
// steps: CC -c main.c; CC -c other.c; LINK main.o other.o
#include "../soundness.h"

extern int *kept;
inline void offer(int *block) { kept = block; }

static void *user(void *arg) {
  if (kept)
    *kept += 1;
  return arg;
}

int main(void) {
  int *block = calloc(1, sizeof(int)); // any
  offer(block);
  on_thread(user, NULL);
  free(block);
  return 0;
}
