// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-5: a static variable of a function.
#include "soundness.h"

static int *counter(void) {
  static int *cell;
  if (!cell)
    cell = calloc(1, sizeof *cell); // shared: FH101
  return cell;
}

static void *user(void *arg) {
  ++*counter();
  return NULL;
}

int main(void) {
  *counter() = 1;
  on_thread(user, NULL);
  EXPECT(*counter() == 2);
  free(counter());
  return 0;
}
