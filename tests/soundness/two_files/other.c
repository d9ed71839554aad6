// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other half of this program.
#include "../soundness.h"

void pass_on(int *p);
int stay(int *p);

static void *user(void *arg) {
  *(int *)arg += 1;
  return NULL;
}
void pass_on(int *p) { on_thread(user, p); }
int stay(int *p) { return *p += 1; }
