// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library.
#include "../soundness.h"

__attribute__((visibility("hidden"))) int *hidden_copy(int *p);
int *(*library_hook)(int *) = hidden_copy;

int *hidden_copy(int *p) {
  int *q = malloc(sizeof *q); // not-local
  *q = *p;
  return q;
}
