// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-9: a pointer stored across two words of a byte buffer, read at the same place.
#include "soundness.h"

static char buffer[24];

static void *user(void *arg) {
  int *p;
  memcpy(&p, buffer + 5, sizeof p);
  *p += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // shared: FH101
  memcpy(buffer + 5, &block, sizeof block);
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
