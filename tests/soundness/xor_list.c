// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-2: neighbours are stored as the exclusive or of their addresses.
#include "soundness.h"

struct node {
  uintptr_t both;
  int value;
};

static void *walker(void *arg) {
  struct node *n = arg, *previous = NULL;
  int sum = 0;
  while (n) {
    struct node *next = (struct node *)(n->both ^ (uintptr_t)previous);
    sum += n->value++;
    previous = n;
    n = next;
  }
  EXPECT(sum == 6);
  return NULL;
}

int main(void) {
  struct node *a = malloc(sizeof *a); // not-local
  struct node *b = malloc(sizeof *b); // not-local
  struct node *c = malloc(sizeof *c); // not-local
  a->value = 1, b->value = 2, c->value = 3;
  a->both = 0 ^ (uintptr_t)b;
  b->both = (uintptr_t)a ^ (uintptr_t)c;
  c->both = (uintptr_t)b ^ 0;
  on_thread(walker, a);
  EXPECT(c->value == 4);
  free(a);
  free(b);
  free(c);
  return 0;
}
