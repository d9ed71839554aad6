// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-9, 4a-40: a library's key is read by the program that uses the library, on the same thread.
//
// prints: freehold: another malloc stands in front
// steps: CC -fPIC -c library.c; LINKSO library.o -o library.so; CLANG main.c ./library.so -Wl,-rpath,$ORIGIN -o program
#include "../soundness.h"

unsigned library_put(void);

static int *kept;

static void *user(void *arg) {
  *kept += 1;
  return arg;
}

int main(void) {
  kept = pthread_getspecific(library_put());
  EXPECT(kept && *kept == 0);
  on_thread(user, NULL);
  EXPECT(*kept == 1);
  free(kept);
  return 0;
}
