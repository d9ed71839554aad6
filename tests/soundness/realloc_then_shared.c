// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4d-8: a block grows, and only what realloc returned is shared.
#include "soundness.h"

static void *user(void *arg) {
  int *p = arg;
  p[0] += 1;
  free(realloc(p, 4000));
  return NULL;
}

int main(void) {
  int *p = malloc(16); // not-local
  p[0] = 1;
  p = realloc(p, 24); // not-local
  on_thread(user, p);
  int *q = malloc(16); // local
  q[3] = 7;
  q = realloc(q, 5000); // local
  EXPECT(q && q[3] == 7);
  free(q);
  return 0;
}
