// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-11: a header in front of what the caller sees.
#include "soundness.h"

struct header {
  size_t size;
  int *owner;
};

static void *allocate(size_t n) {
  struct header *h = malloc(sizeof *h + n); // shared: FH102
  h->size = n;
  h->owner = calloc(1, sizeof(int)); // shared: FH102
  return h + 1;
}
static void release(void *p) {
  struct header *h = (struct header *)p - 1;
  free(h->owner);
  free(h);
}

static void *user(void *arg) {
  struct header *h = (struct header *)arg - 1;
  EXPECT(h->size == 10);
  *h->owner += 1;
  release(arg);
  return NULL;
}

int main(void) {
  void *mine = allocate(20);
  on_thread(user, allocate(10));
  release(mine);
  return 0;
}
