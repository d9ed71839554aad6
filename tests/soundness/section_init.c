// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-36: a function that the loader finds in a section.
#include "soundness.h"

static int *kept, *block;

static void *user(void *arg) {
  *kept += 1;
  return arg;
}

static void start(void) {
  block = calloc(1, sizeof(int)); // any
  kept = block;
}
__attribute__((section(".init_array"), retain, used)) static void (*entry)(void) = start;
__attribute__((section(".preinit_array"))) void (*bare_entry)(void) = start;

int main(void) {
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
