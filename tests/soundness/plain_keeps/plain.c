// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plain half of this program.
#include "../soundness.h"

struct node {
  int *value;
};
static struct node *kept;
void keep(struct node *n);
void use_kept(void);

static void *user(void *arg) {
  *kept->value += 1;
  return arg;
}
void keep(struct node *n) { kept = n; }
void use_kept(void) { on_thread(user, NULL); }
