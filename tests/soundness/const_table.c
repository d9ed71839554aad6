// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-5: a constant table that leads to variables.
#include "soundness.h"

static int *slot_a, *slot_b;
static int **const table[2] = {&slot_a, &slot_b};

static void *user(void *arg) {
  for (int i = 0; i < 2; i++)
    ++**table[i];
  free(*table[1]);
  return NULL;
}

int main(void) {
  *table[0] = calloc(1, sizeof(int)); // shared: FH101
  *table[1] = calloc(1, sizeof(int)); // shared: FH101
  on_thread(user, NULL);
  EXPECT(*slot_a == 1);
  free(slot_a);
  return 0;
}
