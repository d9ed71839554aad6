// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-3: what the entry returns is read by the one who joins.
#include "soundness.h"

static void *maker(void *arg) {
  int *result = malloc(sizeof *result);   // shared: FH103
  int *scratch = malloc(sizeof *scratch); // local
  *scratch = 41;
  *result = *scratch + 1;
  free(scratch);
  return result;
}

int main(void) {
  int *p = on_thread(maker, NULL);
  EXPECT(*p == 42);
  *p = 43;
  free(p);
  return 0;
}
