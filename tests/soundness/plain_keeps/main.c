// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-38, 4a-39: a plain object keeps its argument and what it leads to.
//
// steps: CC -c main.c; CLANG -c plain.c; LINK main.o plain.o
#include "../soundness.h"

struct node {
  int *value;
};
void keep(struct node *n);
void use_kept(void);

int main(void) {
  struct node *n = malloc(sizeof *n);   // shared: FH306
  n->value = calloc(1, sizeof(int));    // shared: FH306
  struct node *own = malloc(sizeof *n); // local
  own->value = calloc(1, sizeof(int));  // local
  keep(n);
  use_kept();
  EXPECT(*n->value == 1 && *own->value == 0);
  free(n->value);
  free(n);
  free(own->value);
  free(own);
  return 0;
}
