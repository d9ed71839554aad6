// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-35: memcpy of a length known only at run time.
#include "soundness.h"

static int *kept[7];

static void *user(void *arg) {
  *kept[5] += 1;
  return NULL;
}

int main(void) {
  int *blocks[7] = {0};
  volatile size_t n = 6 * sizeof(int *) + 3;
  blocks[5] = calloc(1, sizeof(int)); // shared: FH101
  memcpy(kept, blocks, n);
  on_thread(user, NULL);
  EXPECT(*blocks[5] == 1);
  free(blocks[5]);
  return 0;
}
