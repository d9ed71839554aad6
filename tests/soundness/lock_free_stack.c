// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-20, 4b-16: a Treiber stack filled by one thread and emptied by another.
#include "soundness.h"
#include <stdatomic.h>

struct node {
  struct node *next;
  int value;
};
static _Atomic(struct node *) top;

static void *popper(void *arg) {
  for (int found = 0; found < 50;) {
    struct node *n = atomic_load(&top);
    while (n && !atomic_compare_exchange_weak(&top, &n, n->next))
      ;
    if (n) {
      EXPECT(n->value > 0);
      free(n);
      found++;
    }
  }
  return NULL;
}

int main(void) {
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, popper, NULL) == 0);
  for (int i = 0; i < 50; i++) {
    struct node *n = malloc(sizeof *n); // shared: FH101
    n->value = i + 1;
    n->next = atomic_load(&top);
    while (!atomic_compare_exchange_weak(&top, &n->next, n))
      ;
  }
  pthread_join(thread, NULL);
  return 0;
}
