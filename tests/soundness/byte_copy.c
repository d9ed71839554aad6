// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-7: a pointer copied by a loop over its bytes.
#include "soundness.h"

static unsigned char copy[sizeof(int *)];

static void *user(void *arg) {
  int *p;
  unsigned char *to = (unsigned char *)&p;
  for (unsigned i = 0; i < sizeof p; i++)
    to[i] = copy[i];
  *p += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // unknown: FH201
  const unsigned char *from = (const unsigned char *)&block;
  for (unsigned i = 0; i < sizeof block; i++)
    copy[i] = from[i];
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
