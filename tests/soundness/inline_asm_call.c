// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-31: assembly finds a variable by its address in a register and stores there.
#include "soundness.h"

static int *stored;

static void *user(void *arg) {
  *stored += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // not-local
  __asm__ volatile("mov %1, (%0)" : : "r"(&stored), "r"(block) : "memory");
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
