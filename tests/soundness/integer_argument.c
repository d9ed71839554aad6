// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-2: the argument is an integer that was a pointer, and a pointer in a field nobody seems to use.
#include "soundness.h"

struct job {
  int kind;
  void *unused;
};

static void *by_number(void *arg) {
  uintptr_t number = (uintptr_t)arg;
  int *p = (int *)number;
  *p += 1;
  return NULL;
}
static void *by_field(void *arg) {
  int **fields = arg;
  *fields[1] += 1;
  return NULL;
}

int main(void) {
  int *a = calloc(1, sizeof *a); // shared: FH102
  int *b = calloc(1, sizeof *b); // shared: FH102
  struct job job = {1, b};
  uintptr_t number = (uintptr_t)a;
  on_thread(by_number, (void *)number);
  on_thread(by_field, &job);
  EXPECT(*a == 1 && *b == 1);
  free(a);
  free(b);
  return 0;
}
