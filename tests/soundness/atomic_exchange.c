// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-16: exchange and compare-exchange hand pointers over, in both directions.
#include "soundness.h"
#include <stdatomic.h>

static _Atomic(int *) cell;

static void *user(void *arg) {
  int *mine = malloc(sizeof *mine); // shared: FH101
  *mine = 5;
  int *theirs = atomic_exchange(&cell, mine);
  EXPECT(*theirs == 4);
  free(theirs);
  return NULL;
}

int main(void) {
  int *block = malloc(sizeof *block); // shared: FH101
  *block = 4;
  atomic_store(&cell, block);
  on_thread(user, NULL);
  int *expected = NULL;
  EXPECT(!atomic_compare_exchange_strong(&cell, &expected, NULL)); // a failure brings the old value
  EXPECT(*expected == 5);
  free(expected);
  return 0;
}
