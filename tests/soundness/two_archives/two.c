// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Its static function of the same name publishes.
#include "../soundness.h"

static int *kept;
void two(int *p);
void use_kept(void);
static void store(int *p) { kept = p; }
void two(int *p) { store(p); }

static void *user(void *arg) {
  *kept += 1;
  return arg;
}
void use_kept(void) { on_thread(user, NULL); }
