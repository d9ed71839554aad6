// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-27: a pointer printed with %p and scanned back.
#include "soundness.h"
#include <stdio.h>

static char text[64];

static void *reader(void *arg) {
  void *p = NULL;
  EXPECT(sscanf(text, "%p", &p) == 1);
  *(int *)p += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // unknown: FH201
  int *mine = calloc(1, sizeof *mine);   // local
  char other[64];
  snprintf(text, sizeof text, "%p", (void *)block);
  snprintf(other, sizeof other, "%d", *mine);
  on_thread(reader, NULL);
  EXPECT(*block == 1);
  free(block);
  free(mine);
  return 0;
}
