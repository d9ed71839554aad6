// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-43: an empty barrier with a tied operand passes the pointer on.
#include "soundness.h"

static int *kept;

static void *user(void *arg) {
  *kept += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // not-local
  int *copy = block;
  __asm__ volatile("" : "+r"(copy) : : "memory");
  kept = copy;
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
