// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-6: an address is found by comparing it with one number after another; no bit of it is ever copied.
#include "soundness.h"
#include <stdint.h>

static volatile uintptr_t published;

static void *reader(void *unused) {
  (void)unused;
  *(int *)published += 1;
  return NULL;
}

int main(void) {
  pthread_t thread;
  int *p = malloc(sizeof *p); // unknown: FH201
  *p = 7;
  uintptr_t found = 0;
  for (int bit = 47; bit >= 0; --bit) {
    uintptr_t next = found | (uintptr_t)1 << bit;
    if ((uintptr_t)p >= next)
      found = next;
  }
  published = found;
  pthread_create(&thread, NULL, reader, NULL);
  pthread_join(thread, NULL);
  int right = *p == 8;
  free(p);
  return !right;
}
