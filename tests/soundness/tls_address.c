// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-8: the address of a thread-local variable is given away; one that is not stays private.
#include "soundness.h"

static _Thread_local int *given;
static _Thread_local int *kept;

static void *user(void *arg) {
  int **slot = arg;
  **slot = 2;
  EXPECT(given == NULL && kept == NULL);
  return NULL;
}

int main(void) {
  given = malloc(sizeof *given); // shared: FH102
  kept = malloc(sizeof *kept);   // local
  *given = *kept = 1;
  on_thread(user, &given);
  EXPECT(*given == 2 && *kept == 1);
  free(given);
  free(kept);
  return 0;
}
