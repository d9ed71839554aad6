// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plain half of this program.
#include "../soundness.h"

typedef void (*keeper)(int *);
static int *kept;
void use_kept(void);

static void keep(int *p) { kept = p; }
keeper table[1] = {keep};
static void *user(void *arg) {
  *kept += 1;
  return arg;
}
void use_kept(void) { on_thread(user, NULL); }
