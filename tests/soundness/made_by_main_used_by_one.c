// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4c-1: main only allocates, one worker alone reads, writes and frees.
#include "soundness.h"

static void *user(void *arg) {
  int *p = arg;
  *p = 1;
  free(p);
  return NULL;
}

int main(void) {
  void *block = malloc(sizeof(int)); // shared: FH102
  on_thread(user, block);
  return 0;
}
