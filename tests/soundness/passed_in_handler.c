// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: setter and getter are called by handlers of signals, on two threads: setrlimit, getrlimit.
//
// sanitizer: none
#define OWN_MAIN
#include "passed.h"
#include <signal.h>
#include <sys/resource.h>

static int set(union word *w) {
  struct rlimit limit = {w->number, RLIM_INFINITY};
  return setrlimit(RLIMIT_RSS, &limit) == 0;
}

static void get(union word *w) {
  struct rlimit limit = {w->number, 0};
  EXPECT(getrlimit(RLIMIT_RSS, &limit) == 0);
  w->number = limit.rlim_cur;
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
