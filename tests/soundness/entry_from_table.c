// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4c-5: the entry is chosen from a table.
#include "soundness.h"

static void *reads(void *arg) {
  EXPECT(*(int *)arg == 1);
  return NULL;
}
static void *frees(void *arg) {
  free(arg);
  return NULL;
}
static void *(*const entries[])(void *) = {reads, frees};

int main(void) {
  int *block = malloc(sizeof *block); // shared: FH102
  *block = 1;
  for (volatile int i = 0; i < 2; i++)
    on_thread(entries[i], block);
  return 0;
}
