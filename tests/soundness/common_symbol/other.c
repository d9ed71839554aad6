// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-6: the same variable, larger, under another type.
//
// flags: -fcommon
#include "../soundness.h"

char *cells[4];
void *user(void *arg);
void *user(void *arg) {
  cells[0][0] += 1;
  return arg;
}
