// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-1, 4b-4: a number that is a pointer on one path and put together from halves on the other, then seen as a double.
#include "soundness.h"

static struct cell {
  int *pointer;
} shared_cell;
static volatile uint32_t low, high;

static void *user(void *arg) {
  *shared_cell.pointer += 1;
  return arg;
}

static __attribute__((noinline)) struct cell *back(double d) {
  struct cell *c;
  memcpy(&c, &d, 8);
  return c;
}

static __attribute__((noinline)) struct cell *choose(struct cell *own, int which) {
  uint64_t bits = which ? (uint64_t)own : ((uint64_t)high << 32 | low);
  double d;
  memcpy(&d, &bits, 8);
  return back(d);
}

int main(void) {
  struct cell own = {NULL};
  low = (uint32_t)(uintptr_t)&shared_cell;
  high = (uint32_t)((uintptr_t)&shared_cell >> 32);
  int *block = calloc(1, sizeof(int)); // not-local
  choose(&own, 0)->pointer = block;
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
