// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plain half of this program.
#include "../soundness.h"

static int *kept;
void keep(int *p);
void use_kept(void);

static void *user(void *arg) {
  *kept += 1;
  return arg;
}
void keep(int *p) { kept = p; }
void use_kept(void) { on_thread(user, NULL); }
