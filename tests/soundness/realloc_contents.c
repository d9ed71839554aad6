// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4d-8: what the old block held is in the new one.
#include "soundness.h"

static void *user(void *arg) {
  int **p = arg;
  *p[0] += 1;
  return NULL;
}

int main(void) {
  int **p = malloc(sizeof *p);           // not-local
  p[0] = calloc(1, sizeof(int));         // shared: FH102
  int **q = realloc(p, 100 * sizeof *q); // shared: FH102
  on_thread(user, q);
  EXPECT(*q[0] == 1);
  free(q[0]);
  free(q);
  return 0;
}
