// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-30: a linker set, walked from __start_ to __stop_.
#include "soundness.h"

struct hook {
  int **slot;
};
static int *a, *b;
__attribute__((used, section("hooks"))) static struct hook hook_a = {&a};
__attribute__((used, section("hooks"))) static struct hook hook_b = {&b};
extern struct hook __start_hooks[], __stop_hooks[];
static int *volatile out[2];

static void *user(void *arg) {
  *out[0] += 1;
  *out[1] += 1;
  return NULL;
}

int main(void) {
  int *p = calloc(1, sizeof *p); // not-local
  int *q = calloc(1, sizeof *q); // not-local
  a = p;
  b = q;
  int n = 0;
  for (struct hook *h = __start_hooks; h != __stop_hooks; h++)
    out[n++] = *h->slot;
  on_thread(user, NULL);
  EXPECT(*p == 1 && *q == 1);
  free(p);
  free(q);
  return 0;
}
