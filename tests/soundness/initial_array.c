// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C11 6.7.2.1p15: the address of a structure's initial member, here an array, is the structure's address, and back.
#include "soundness.h"

struct record {
  char name[16];
  int *pointer;
};
static int *kept;

static void *user(void *arg) {
  *kept += 1;
  return arg;
}

static __attribute__((noinline)) int *of_name(char (*name)[16]) { return ((struct record *)name)->pointer; }

int main(void) {
  struct record r = {{0}, NULL};
  r.pointer = calloc(1, sizeof(int)); // not-local
  kept = of_name(&r.name);
  on_thread(user, NULL);
  EXPECT(*r.pointer == 1);
  free(r.pointer);
  return 0;
}
