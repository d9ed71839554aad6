// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-7: a pointer copied by two memcpys of 3 and 5 bytes.
#include "soundness.h"

static struct {
  char bytes[3];
  char gap;
  char rest[5];
} store;

static void *user(void *arg) {
  int *p;
  memcpy(&p, store.bytes, 3);
  memcpy((char *)&p + 3, store.rest, 5);
  *p += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // unknown: FH201
  memcpy(store.bytes, &block, 3);
  memcpy(store.rest, (char *)&block + 3, 5);
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
