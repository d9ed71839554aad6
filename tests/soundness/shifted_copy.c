// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-9: the word moves to another alignment before it is read.
#include "soundness.h"

static char buffer[32];

static void *user(void *arg) {
  int *p;
  memmove(buffer, buffer + 5, 16);
  memcpy(&p, buffer + 3, sizeof p);
  *p += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // not-local
  memcpy(buffer + 8, &block, sizeof block);
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
