// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-11: pointers in a flexible array member.
#include "soundness.h"

struct bag {
  unsigned count;
  int *items[];
};

static void *user(void *arg) {
  struct bag *b = arg;
  for (unsigned i = 0; i < b->count; i++)
    *b->items[i] += 1;
  free(b->items[b->count - 1]);
  return NULL;
}

int main(void) {
  struct bag *b = malloc(sizeof *b + 3 * sizeof(int *)); // shared: FH102
  b->count = 3;
  for (int i = 0; i < 3; i++)
    b->items[i] = calloc(1, sizeof(int)); // shared: FH102
  on_thread(user, b);
  EXPECT(*b->items[0] == 1);
  free(b->items[0]);
  free(b->items[1]);
  free(b);
  return 0;
}
