// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-36: a constructor allocates before main.
#include "soundness.h"

static int *early;

__attribute__((constructor)) static void start(void) {
  early = malloc(sizeof *early); // shared: FH101
  *early = 12;
}

static void *user(void *arg) {
  EXPECT(*early == 12);
  free(early);
  return NULL;
}

int main(void) {
  on_thread(user, NULL);
  return 0;
}
