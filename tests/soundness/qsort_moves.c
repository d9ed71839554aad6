// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-34: qsort moves pointers between fields of a struct seen as an array.
#include "soundness.h"

struct three {
  int *a, *b, *c;
};

static int compare(const void *x, const void *y) { return **(int *const *)x - **(int *const *)y; }

static void *user(void *arg) {
  *(int *)arg += 1;
  return NULL;
}

int main(void) {
  struct three t;
  int *one = malloc(sizeof *one);     // shared: FH102
  int *two = malloc(sizeof *two);     // not-local
  int *three = malloc(sizeof *three); // not-local
  *one = 1, *two = 2, *three = 3;
  t.a = three, t.b = two, t.c = one;
  qsort(&t, 3, sizeof(int *), compare);
  on_thread(user, t.a);
  EXPECT(*one == 2);
  free(one);
  free(two);
  free(three);
  return 0;
}
