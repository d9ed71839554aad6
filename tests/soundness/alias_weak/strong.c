// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The definition that prevails, itself an alias, publishes.
#include "../soundness.h"

static int *kept;
static void *user(void *arg) {
  *kept += 1;
  return arg;
}
static __attribute__((noinline)) void keep(int *p) { kept = p; }
void lost(int *p) __attribute__((alias("keep")));
void use_kept(void);
void use_kept(void) { on_thread(user, NULL); }
