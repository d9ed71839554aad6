// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-24, 4b-34: the comparator, called by libc, publishes what it sees.
#include "soundness.h"

static int *seen;

static int compare(const void *x, const void *y) {
  seen = *(int *const *)x;
  return **(int *const *)x - **(int *const *)y;
}

static void *user(void *arg) {
  *seen += 10;
  return NULL;
}

int main(void) {
  int *items[2];
  for (int i = 0; i < 2; i++) {
    items[i] = malloc(sizeof(int)); // shared: FH101
    *items[i] = 2 - i;
  }
  qsort(items, 2, sizeof(int *), compare);
  on_thread(user, NULL);
  EXPECT(*items[0] + *items[1] == 13);
  free(items[0]);
  free(items[1]);
  return 0;
}
