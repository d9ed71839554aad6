// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-43: insque links one block to another.
#include "soundness.h"
#include <search.h>

struct element {
  struct element *next, *previous;
  int value;
};

static void *user(void *arg) {
  struct element *first = arg;
  EXPECT(first->next->value == 2);
  first->next->value = 3;
  return NULL;
}

int main(void) {
  struct element *a = calloc(1, sizeof *a); // not-local
  struct element *b = calloc(1, sizeof *b); // not-local
  b->value = 2;
  insque(a, NULL);
  insque(b, a);
  on_thread(user, a);
  EXPECT(b->value == 3);
  free(a);
  free(b);
  return 0;
}
