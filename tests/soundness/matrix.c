// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-14: rows of a matrix found by a computed index.
#include "soundness.h"

struct cell {
  long pad;
  int *value;
};
static struct cell matrix[8][8];

static void *user(void *arg) {
  for (int i = 0; i < 8; i++)
    *matrix[i][(i * 3) % 8].value += i;
  return NULL;
}

int main(void) {
  for (int i = 0; i < 64; i++)
    matrix[i / 8][i % 8].value = calloc(1, sizeof(int)); // shared: FH101
  on_thread(user, NULL);
  EXPECT(*matrix[7][5].value == 7);
  for (int i = 0; i < 64; i++)
    free(matrix[i / 8][i % 8].value);
  return 0;
}
