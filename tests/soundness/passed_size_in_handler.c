// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: a file's size is set and asked for by handlers of signals, on two threads: ftruncate, fstat.
//
// sanitizer: none
#define OWN_MAIN
#include "passed.h"
#include <signal.h>

static int file;

static int set(union word *w) {
  file = memfd_create("size", 0);
  return ftruncate(file, w->number) == 0;
}

static void get(union word *w) {
  struct stat s = {.st_size = (off_t)w->number};
  EXPECT(fstat(file, &s) == 0);
  w->number = s.st_size;
}

static void passing(int number) { pass(); }
static void taking(int number) { take(NULL); }

static void *other(void *arg) {
  raise(SIGUSR2);
  return NULL;
}

int main(void) {
  signal(SIGUSR1, passing);
  signal(SIGUSR2, taking);
  raise(SIGUSR1);
  on_thread(other, NULL);
  union word w = {NULL};
  get(&w);
  EXPECT(w.node->n == 1 && w.node->next->n == 2);
  free(w.node->next);
  free(w.node);
  return 0;
}
