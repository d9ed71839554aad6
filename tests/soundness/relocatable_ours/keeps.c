// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First on the line: its weak definition prevails.
#include "../soundness.h"

static _Thread_local int *kept;
void take(int *p);
void use_kept(void);

static void *user(void *arg) {
  *(int *)arg += 1;
  return NULL;
}
__attribute__((weak)) void take(int *p) { kept = p; }
void use_kept(void) { on_thread(user, kept); }
