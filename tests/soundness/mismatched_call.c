// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-20: a function without a prototype, called with fewer and with other arguments; one register holds the old value.
#include "soundness.h"

struct cell {
  int *pointer;
};
static struct cell kept;

static void *user(void *arg) {
  *kept.pointer += 1;
  return arg;
}

static __attribute__((noinline)) void put(uintptr_t at, double ignored, int *block) { ((struct cell *)at)->pointer = block; }

int main(void) {
  struct cell own;
  int *block = calloc(1, sizeof(int)); // not-local
  void (*volatile any)() = (void (*)())put;
  put((uintptr_t)&own, 0, NULL);
  any(&kept, 1.5, block);
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
