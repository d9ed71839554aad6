// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-6: the variable as a struct.
#include "../soundness.h"

struct pair {
  int *a, *b;
} fields;
void *user(void *arg);
void *user(void *arg) {
  *fields.b += 1;
  return arg;
}
