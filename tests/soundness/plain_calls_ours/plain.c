// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plain half of this program.
#include "../soundness.h"

int *make(void);
void change(int **place);
void start(void);

static void *user(void *arg) {
  int **cells = arg;
  cells[0] = make();
  change(&cells[1]);
  return NULL;
}
void start(void) {
  int *cells[2];
  on_thread(user, cells);
  EXPECT(*cells[0] == 1 && *cells[1] == 2);
  free(cells[0]);
  free(cells[1]);
}
