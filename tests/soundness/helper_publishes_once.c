// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4c-3: the same helper's block is published by one of its callers only.
#include "soundness.h"

static int *kept;

static int *make(int value) {
  int *p = malloc(sizeof *p); // not-local
  *p = value;
  return p;
}

static void *user(void *arg) {
  int *own = make(1);
  *kept += *own;
  free(own);
  return NULL;
}

int main(void) {
  int *own = make(2);
  kept = make(3);
  on_thread(user, NULL);
  EXPECT(*kept == 4 && *own == 2);
  free(own);
  free(kept);
  return 0;
}
