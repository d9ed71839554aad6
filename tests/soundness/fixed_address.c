// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory at an address that is a number of the program's own choice.
#include "soundness.h"
#include <sys/mman.h>

struct cell {
  int *pointer;
};
#define FIXED 0x100000000000
static uintptr_t where;

static void *user(void *arg) {
  *((struct cell *)FIXED)->pointer += 1;
  return arg;
}

static __attribute__((noinline)) void put(uintptr_t at, int *block) { ((struct cell *)at)->pointer = block; }

int main(void) {
  EXPECT(mmap((void *)FIXED, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == (void *)FIXED);
  struct cell own;
  int *block = calloc(1, sizeof(int)); // not-local
  put((uintptr_t)&own, NULL);
  put(FIXED, block);
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
