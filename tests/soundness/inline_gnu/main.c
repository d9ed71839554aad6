// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An always inlined definition in front of the real function, as headers lay them: what its body keeps is kept.
//
// steps: CC -c main.c; CC -c other.c; LINK main.o other.o
#include "../soundness.h"

static int *kept;
int counted_real(int *block);
int counted(int *block);
extern inline __attribute__((gnu_inline, always_inline)) int counted(int *block) {
  kept = block;
  return counted_real(block);
}
extern inline __attribute__((gnu_inline, always_inline)) int atoi(const char *text) {
  kept = (int *)text;
  return 1;
}

static void *user(void *arg) {
  *kept += 1;
  return arg;
}

int main(void) {
  int *block = calloc(1, sizeof(int));  // not-local
  int *second = calloc(1, sizeof(int)); // not-local
  EXPECT(counted(block) == 1);
  on_thread(user, NULL);
  EXPECT(*block == 1);
  EXPECT(atoi((char *)second) == 1);
  on_thread(user, NULL);
  EXPECT(*second == 1);
  free(block);
  free(second);
  return 0;
}
