// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-15: pointers in vector registers, shuffled.
#include "soundness.h"

typedef uintptr_t vector __attribute__((vector_size(16)));
static vector kept;

static void *user(void *arg) {
  *(int *)kept[0] += 1;
  *(int *)kept[1] += 2;
  return NULL;
}

int main(void) {
  int *a = calloc(1, sizeof *a); // not-local
  int *b = calloc(1, sizeof *b); // not-local
  vector v = {(uintptr_t)a, (uintptr_t)b};
  kept = __builtin_shufflevector(v, v, 1, 0);
  on_thread(user, NULL);
  EXPECT(*b == 1 && *a == 2);
  free(a);
  free(b);
  return 0;
}
