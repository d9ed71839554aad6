// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-25: an alias of a variable.
#include "soundness.h"

int *real;
extern int *other_name __attribute__((alias("real")));

static void *user(void *arg) {
  *real += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // shared: FH101
  other_name = block;
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
