// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-4: bits of an address as the length of a text, counted again by another thread.
#include "soundness.h"

static char text[1 << 26];
static int *anchor;

static void *user(void *arg) {
  int *found = (int *)(strlen(text) ^ (uintptr_t)anchor);
  *found += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // not-local
  anchor = calloc(1, sizeof *anchor);    // not-local
  size_t apart = (uintptr_t)block ^ (uintptr_t)anchor;
  EXPECT(apart != 0);
  if (apart < sizeof text) {
    memset(text, 'x', apart);
    on_thread(user, NULL);
    EXPECT(*block == 1);
  }
  int *kept = calloc(1, sizeof *kept); // local
  memset(text, 'y', 3);
  *kept = text[2];
  EXPECT(*kept == 'y');
  free(kept);
  free(anchor);
  free(block);
  return 0;
}
