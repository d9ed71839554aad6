// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-3: tags in the low bits.
#include "soundness.h"

struct tagged {
  uintptr_t bits;
};

static void *user(void *arg) {
  struct tagged *t = arg;
  EXPECT((t->bits & 7) == 5);
  int *p = (int *)(t->bits & ~(uintptr_t)7);
  *p += 1;
  return NULL;
}

int main(void) {
  struct tagged t;
  int *block = calloc(1, sizeof *block); // shared: FH102
  t.bits = (uintptr_t)block | 5;
  int *mine = calloc(1, sizeof *mine); // local
  uintptr_t own = (uintptr_t)mine | 3;
  *(int *)(own - 3) += 1;
  on_thread(user, &t);
  EXPECT(*block == 1 && *mine == 1);
  free(block);
  free(mine);
  return 0;
}
