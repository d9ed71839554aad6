// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-31: assembly moves a pointer from one register to another, and into memory.
#include "soundness.h"

static int *kept, *stored;

static void *user(void *arg) {
  *kept += 1;
  *stored += 1;
  return NULL;
}

int main(void) {
  int *a = calloc(1, sizeof *a), *copy; // not-local
  int *b = calloc(1, sizeof *b);        // not-local
  __asm__("mov %1, %0" : "=r"(copy) : "r"(a));
  __asm__ volatile("mov %1, %0" : "=m"(stored) : "r"(b));
  kept = copy;
  on_thread(user, NULL);
  EXPECT(*a == 1 && *b == 1);
  free(a);
  free(b);
  return 0;
}
