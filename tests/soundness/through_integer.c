// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-1: through an integer and back, with arithmetic on the way.
#include "soundness.h"

static void *user(void *arg) {
  *(int *)arg += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(4, sizeof *block); // shared: FH102
  int *mine = calloc(4, sizeof *mine);   // local
  uintptr_t n = (uintptr_t)block + 8, m = (uintptr_t)mine + 8;
  *(int *)m += 1;
  on_thread(user, (void *)n);
  EXPECT(block[2] == 1 && mine[2] == 1);
  free(block);
  free(mine);
  return 0;
}
