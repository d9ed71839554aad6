// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-40: a hidden function of a library is nobody's entry, an exported pointer to it is.
//
// steps: CC -fPIC -c library.c; LINKSO library.o -o library.so; CLANG main.c ./library.so -Wl,-rpath,$ORIGIN -o program
#include "../soundness.h"

extern int *(*library_hook)(int *);

static void *user(void *arg) {
  int *q = library_hook(arg);
  *q += 1;
  return q;
}

int main(void) {
  int start = 3;
  int *q = on_thread(user, &start);
  EXPECT(*q == 4);
  free(q);
  return 0;
}
