// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-33: main leaves by pthread_exit, the handlers run on the last worker.
//
// sanitizer: none
#include "soundness.h"

static int *block;

static void at_end(void) {
  if (*block != 10)
    _Exit(1);
  free(block);
}

static void *worker(void *arg) {
  pthread_t main_thread = *(pthread_t *)arg;
  pthread_join(main_thread, NULL);
  return NULL;
}

int main(void) {
  static pthread_t self;
  pthread_t thread;
  self = pthread_self();
  block = malloc(sizeof *block); // shared: FH101
  *block = 10;
  atexit(at_end);
  EXPECT(pthread_create(&thread, NULL, worker, &self) == 0);
  pthread_exit(NULL);
}
