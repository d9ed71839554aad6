// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-40, 4c-17: a shared library's functions are called by anybody's threads.
//
// steps: CC -fPIC -c library.c; LINKSO library.o -o library.so; CLANG main.c ./library.so -Wl,-rpath,$ORIGIN -o program
#include "../soundness.h"

int *library_make(void);
void library_keep(int *p);
int library_sum(int n);
extern int *library_cell;

static void *user(void *arg) {
  int *p = library_make();
  *library_cell += *p;
  EXPECT(library_sum(5) == 10);
  return p;
}

int main(void) {
  library_keep(NULL);
  int *p = on_thread(user, NULL);
  EXPECT(*p == 1 && *library_cell == 4 && library_sum(4) == 6);
  free(p);
  free(library_cell);
  return 0;
}
