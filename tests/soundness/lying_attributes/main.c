// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-37, 4b-38: declared pure, const or without capture, and keeping its argument nevertheless.
//
// steps: CC -c main.c; CLANG -c plain.c; LINK main.o plain.o
#include "../soundness.h"

struct node {
  int *value;
};
__attribute__((pure)) int look(const struct node *n);
int peek(__attribute__((noescape)) const struct node *n);
__attribute__((malloc)) void *fresh(void *p);
void use_kept(void);

int main(void) {
  struct node *a = malloc(sizeof *a); // not-local
  struct node *b = malloc(sizeof *b); // not-local
  int *c = calloc(1, sizeof *c);      // not-local
  a->value = calloc(1, sizeof(int));  // not-local
  b->value = calloc(1, sizeof(int));  // not-local
  EXPECT(look(a) + peek(b) == 0);
  int *same = fresh(c);
  use_kept();
  EXPECT(*a->value == 1 && *b->value == 1 && *same == 1);
  free(a->value);
  free(b->value);
  free(a);
  free(b);
  free(c);
  return 0;
}
