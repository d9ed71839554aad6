// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-24: allocation and thread creation called through pointers in a table.
#include "soundness.h"

static struct {
  void *(*allocate)(size_t);
  void (*release)(void *);
  int (*start)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  void *(*copy)(void *, const void *, size_t);
} table = {malloc, free, pthread_create, memcpy};

static void *user(void *arg) {
  int *p;
  memcpy(&p, arg, sizeof p);
  *p += 1;
  table.release(arg);
  return NULL;
}

int main(void) {
  pthread_t thread;
  int *block = table.allocate(sizeof *block); // not-rewritten
  int **cell = table.allocate(sizeof *cell);  // not-rewritten
  *block = 1;
  table.copy(cell, &block, sizeof block);
  EXPECT(table.start(&thread, NULL, user, cell) == 0);
  pthread_join(thread, NULL);
  EXPECT(*block == 2);
  table.release(block);
  return 0;
}
