// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4d-17: malloc_usable_size of blocks of both kinds.
#include "soundness.h"
#include <malloc.h>

static void *user(void *arg) {
  EXPECT(malloc_usable_size(arg) >= 100);
  return NULL;
}

int main(void) {
  void *shared = malloc(100); // shared: FH102
  void *mine = malloc(100);   // local
  on_thread(user, shared);
  EXPECT(malloc_usable_size(mine) >= 100);
  free(shared);
  free(mine);
  return 0;
}
