// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4d-1: two allocations in two arms of an if; the optimiser would like to make them one.
#include "soundness.h"

static int *kept;

static void *user(void *arg) {
  if (kept)
    *kept += 1;
  return NULL;
}

int main(void) {
  for (volatile int i = 0; i < 2; i++) {
    int *p;
    if (i) {
      p = malloc(64); // not-local
      kept = p;
    } else {
      p = malloc(64); // local
    }
    *p = i;
    on_thread(user, NULL);
    EXPECT(*p == 2 * i);
    free(p);
    kept = NULL;
  }
  return 0;
}
