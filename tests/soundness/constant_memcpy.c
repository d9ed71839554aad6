// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-8: memcpy of 8 and 16 bytes becomes a load and a store of integers or vectors.
#include "soundness.h"

struct two {
  int *a, *b;
};
static struct two kept;
static uint64_t word;

static void *user(void *arg) {
  int *p;
  memcpy(&p, &word, sizeof p);
  *p += *kept.a + *kept.b;
  return NULL;
}

int main(void) {
  struct two t = {calloc(1, sizeof(int)), calloc(1, sizeof(int))}; // shared: FH101
  int *p = calloc(1, sizeof *p);                                   // shared: FH101
  *t.a = 1, *t.b = 2;
  memcpy(&kept, &t, sizeof t);
  memcpy(&word, &p, sizeof word);
  on_thread(user, NULL);
  EXPECT(*p == 3);
  free(t.a);
  free(t.b);
  free(p);
  return 0;
}
