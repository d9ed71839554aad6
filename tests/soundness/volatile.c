// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-17: volatile and non-temporal accesses.
#include "soundness.h"

static int *volatile a;
static int *b;

static void *user(void *arg) {
  *a += 1;
  *__builtin_nontemporal_load(&b) += 1;
  return NULL;
}

int main(void) {
  a = calloc(1, sizeof *a);                              // shared: FH101
  __builtin_nontemporal_store(calloc(1, sizeof *b), &b); // shared: FH101
  on_thread(user, NULL);
  EXPECT(*a == 1 && *b == 1);
  free(a);
  free(b);
  return 0;
}
