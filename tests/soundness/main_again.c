// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4c-7: main calls itself; the second run is on the same thread, its worker on another.
#include "soundness.h"

static int *kept;
int main(int count, char **arguments);

static void *user(void *arg) {
  *kept += 1;
  return NULL;
}

int main(int count, char **arguments) {
  if (count < 100)
    return main(100, arguments);
  int *block = calloc(1, sizeof *block); // shared: FH101
  int *mine = calloc(1, sizeof *mine);   // local
  kept = block;
  on_thread(user, NULL);
  EXPECT(*block == 1 && *mine == 0);
  free(block);
  free(mine);
  return 0;
}
