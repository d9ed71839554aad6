// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-33: a value survives a long jump in a volatile variable.
#include "soundness.h"
#include <setjmp.h>

static jmp_buf buffer;
static int *kept;

static void *user(void *arg) {
  *kept += 1;
  return NULL;
}

int main(void) {
  int *volatile block = NULL;
  if (setjmp(buffer) == 0) {
    block = calloc(1, sizeof *block); // shared: FH101
    longjmp(buffer, 1);
  }
  kept = block;
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
