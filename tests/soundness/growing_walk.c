// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-13: a pointer that grows in a loop over linked memory.
#include "soundness.h"

struct cell {
  struct cell *next;
  int *value;
};

static void *user(void *arg) {
  struct cell *p = arg;
  int sum = 0;
  while (p) {
    sum += *p->value;
    p = p->next ? p->next + 1 : NULL;
  }
  EXPECT(sum == 3);
  return NULL;
}

int main(void) {
  struct cell *a = calloc(3, sizeof *a); // shared: FH102
  a[0].value = malloc(sizeof(int));      // shared: FH102
  a[1].value = malloc(sizeof(int));      // shared: FH102
  *a[0].value = 1, *a[1].value = 2;
  a[0].next = a;
  a[1].next = NULL;
  on_thread(user, a);
  free(a[0].value);
  free(a[1].value);
  free(a);
  return 0;
}
