// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-33: on_exit gives main's block to the thread that ends the process.
#include "soundness.h"
#include <stdlib.h>

static void at_end(int status, void *arg) {
  if (*(int *)arg != 11)
    _Exit(1);
  free(arg);
}

static void *ender(void *arg) {
  exit(0);
  return NULL;
}

int main(void) {
  int *block = malloc(sizeof *block); // shared: FH107
  pthread_t thread;
  *block = 11;
  on_exit(at_end, block);
  EXPECT(pthread_create(&thread, NULL, ender, NULL) == 0);
  pthread_join(thread, NULL);
  return 1;
}
