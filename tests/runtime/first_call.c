// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// first_call.c - the first heap call of a process or thread is free(NULL), realloc, a free of another thread's block, calloc...
#include "check.h"

#include <pthread.h>

static void *volatile Block;

static void *by_free(void *argument) {
  free(argument ? Block : NULL);
  return NULL;
}
static void *by_realloc(void *argument) {
  Block = realloc(argument ? Block : NULL, 5000);
  return NULL;
}
static void on_new_thread(void *(*body)(void *), void *argument) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, body, argument) == 0);
  pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "free") == 0)
    free(NULL);
  else if (argc > 1)
    Block = realloc(NULL, 10), free(Block);
  on_new_thread(by_free, NULL);
  on_new_thread(by_realloc, NULL);
  on_new_thread(by_realloc, &argc);
  on_new_thread(by_free, &argc);
  puts("done");
  return 0;
}
