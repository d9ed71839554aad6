// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-34: a string function carries the bytes of a pointer; only its zero bytes are lost.
#include "soundness.h"

static struct {
  char start;
  char bytes[16];
} store;

static void *user(void *arg) {
  int *p = NULL;
  strcpy((char *)&p, store.bytes);
  *p += 1;
  return NULL;
}

static int has_zero(const void *p) { return memchr(&p, 0, 6) != NULL; }

int main(void) {
  int *blocks[600];
  int *block = NULL;
  for (int i = 0; i < 600; i++) {
    blocks[i] = calloc(1, sizeof(int)); // not-local
    if (!has_zero(blocks[i]))
      block = blocks[i];
  }
  if (block) {
    char copy[16] = {0};
    strncpy(copy, (char *)&block, sizeof copy);
    strcpy(store.bytes, copy);
    on_thread(user, NULL);
    EXPECT(*block == 1);
  }
  for (int i = 0; i < 600; i++)
    free(blocks[i]);
  return 0;
}
