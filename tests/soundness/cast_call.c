// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-20: a function called with more and other arguments than it declares.
#include "soundness.h"

static int *kept;

static int keep(long number) {
  kept = (int *)number;
  return 0;
}

static void *user(void *arg) {
  *kept += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // shared: FH101
  int (*as_pointer)(void *, int) = (int (*)(void *, int))(void (*)(void))keep;
  as_pointer(block, 3);
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
