// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-7: another thread stores a pointer into this thread's stack slot, and the other way round.
#include "soundness.h"

struct exchange {
  int *from_main, *from_thread;
};

static void *user(void *arg) {
  struct exchange *e = arg;
  *e->from_main = 2;
  e->from_thread = malloc(sizeof(int)); // shared: FH102
  *e->from_thread = 3;
  return NULL;
}

int main(void) {
  struct exchange e;
  e.from_main = malloc(sizeof(int)); // shared: FH102
  on_thread(user, &e);
  EXPECT(*e.from_main == 2 && *e.from_thread == 3);
  free(e.from_main);
  free(e.from_thread);
  return 0;
}
