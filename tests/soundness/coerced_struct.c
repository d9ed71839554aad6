// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-8: structs passed and returned in registers as integers.
#include "soundness.h"

struct pair {
  uint32_t kind, size;
  int *block;
};
static struct pair kept;

__attribute__((noinline)) static struct pair same(struct pair p) {
  p.kind++;
  return p;
}

static void *user(void *arg) {
  *kept.block += kept.kind;
  return NULL;
}

int main(void) {
  struct pair p = {1, 4, calloc(1, sizeof(int))}; // shared: FH101
  struct pair q = {1, 4, calloc(1, sizeof(int))}; // local
  kept = same(p);
  on_thread(user, NULL);
  EXPECT(*p.block == 2 && *q.block == 0);
  free(p.block);
  free(q.block);
  return 0;
}
