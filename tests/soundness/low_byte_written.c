// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-3, 4b-7: a byte written into a pointer moves it inside its block, and the rest of the bits stays.
#include "soundness.h"

union view {
  void *pointer;
  unsigned char bytes[8];
};
static int *kept, *kept_too;

static void *user(void *arg) {
  *kept += 1;
  *kept_too += 1;
  return arg;
}

static __attribute__((noinline)) void put(unsigned char *bytes, unsigned char value) { bytes[0] = value; }
static __attribute__((noinline)) void clear(unsigned char *bytes) { bytes[0] = 0; }

int main(void) {
  int ***block = aligned_alloc(256, 256); // any
  block[0] = calloc(1, sizeof(int));      // not-local
  block[2] = calloc(1, sizeof(int));      // not-local
  block[16] = NULL;
  int *first = (int *)block[0], *second = (int *)block[2];
  union view v;
  v.pointer = &block[16];
  put(v.bytes, 16);
  kept = *(int **)v.pointer;
  v.pointer = &block[16];
  clear(v.bytes);
  kept_too = *(int **)v.pointer;
  on_thread(user, NULL);
  EXPECT(*first == 1 && *second == 1);
  free(first);
  free(second);
  free(block);
  return 0;
}
