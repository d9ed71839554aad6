// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plain half of this program.
#include "../soundness.h"

struct node {
  int *value;
};
static int *kept[3];
int look(const struct node *n);
int peek(const struct node *n);
void *fresh(void *p);
void use_kept(void);

static void *user(void *arg) {
  for (int i = 0; i < 3; i++)
    *kept[i] += 1;
  return arg;
}
int look(const struct node *n) {
  kept[0] = n->value;
  return 0;
}
int peek(const struct node *n) {
  kept[1] = n->value;
  return 0;
}
void *fresh(void *p) { return kept[2] = p; }
void use_kept(void) { on_thread(user, NULL); }
