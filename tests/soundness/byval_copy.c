// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-7: a large struct passed by value; the callee gives away the address of its copy.
#include "soundness.h"

struct big {
  long pad[6];
  int *block;
};

static void *user(void *arg) {
  struct big *b = arg;
  *b->block += 1;
  return NULL;
}
__attribute__((noinline)) static void give(struct big b) { on_thread(user, &b); }

int main(void) {
  struct big b = {{0}, calloc(1, sizeof(int))}; // shared: FH102
  give(b);
  EXPECT(*b.block == 1);
  free(b.block);
  return 0;
}
