// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-10: a union, a cast between unrelated structs, a struct in a character buffer.
#include "soundness.h"

struct left {
  long tag;
  int *block;
};
struct right {
  double tag;
  void *anything;
};
static union {
  struct left l;
  char bytes[16];
} cell;

static void *user(void *arg) {
  struct right r;
  memcpy(&r, cell.bytes, sizeof r);
  *(int *)r.anything += 1;
  struct right *cast = (struct right *)(void *)&cell.l;
  *(int *)cast->anything += 1;
  return NULL;
}

int main(void) {
  cell.l.block = calloc(1, sizeof(int)); // shared: FH101
  on_thread(user, NULL);
  EXPECT(*cell.l.block == 2);
  free(cell.l.block);
  return 0;
}
