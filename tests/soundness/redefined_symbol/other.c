// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other half of this program.
#include "../soundness.h"

static int *kept;
void publish(int *p);
void take(int *p);
void use_kept(void);

static void *user(void *arg) {
  *kept += 1;
  return arg;
}
void publish(int *p) { kept = p; }
void take(int *p) { *p = 0; }
void use_kept(void) { on_thread(user, NULL); }
