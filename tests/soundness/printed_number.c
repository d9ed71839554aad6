// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-27: a pointer printed as a number, and read by strtoul.
#include "soundness.h"
#include <stdio.h>

static char text[64];

static void *reader(void *arg) {
  int *p = (int *)strtoul(text, NULL, 10);
  *p += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // unknown: FH201
  sprintf(text, "%lu", (unsigned long)block);
  on_thread(reader, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
