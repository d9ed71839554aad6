// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-25: an alias and an ifunc stand for functions that publish.
#include "soundness.h"

static int *a, *b;

void keep_a(int *p) { a = p; }
void also_keep_a(int *p) __attribute__((alias("keep_a")));
static void keep_b(int *p) { b = p; }
static void (*choose(void))(int *) { return keep_b; }
void by_choice(int *p) __attribute__((ifunc("choose")));

static void *user(void *arg) {
  *a += 1;
  *b += 1;
  return NULL;
}

int main(void) {
  int *p = calloc(1, sizeof *p); // not-local
  int *q = calloc(1, sizeof *q); // not-local
  also_keep_a(p);
  by_choice(q);
  on_thread(user, NULL);
  EXPECT(*p == 1 && *q == 1);
  free(p);
  free(q);
  return 0;
}
