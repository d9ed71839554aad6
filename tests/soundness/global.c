// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-5: a variable of the program.
#include "soundness.h"

static int *global;

static void *user(void *arg) {
  EXPECT(*global == 1);
  free(global);
  return NULL;
}

int main(void) {
  global = malloc(sizeof *global);  // shared: FH101
  int *mine = malloc(sizeof *mine); // local
  *global = *mine = 1;
  on_thread(user, NULL);
  EXPECT(*mine == 1);
  free(mine);
  return 0;
}
