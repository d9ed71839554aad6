// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plain half of this program.
#include "../soundness.h"

extern int *cell;
void use_cell(void);

static void *user(void *arg) {
  *cell += 1;
  return arg;
}
void use_cell(void) { on_thread(user, NULL); }
