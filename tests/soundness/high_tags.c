// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-3: tags in the high bits, taken off by shifts.
#include "soundness.h"

static uint64_t word;

static void *user(void *arg) {
  int *p = (int *)(uintptr_t)((word << 16) >> 16);
  EXPECT(word >> 48 == 0x1234);
  *p += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // not-local
  word = (uint64_t)(uintptr_t)block | (uint64_t)0x1234 << 48;
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
