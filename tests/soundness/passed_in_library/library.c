// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// library.c - the program's part that is loaded at run time.
#define OWN_MAIN
#include "../passed.h"
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

int library_pass(void);
void library_take(void);
void library_end(void);

int library_pass(void) { return pass() != NULL; }
void library_take(void) { take(NULL); }

void library_end(void) {
  union word w = {NULL};
  get(&w);
  EXPECT(w.node->n == 1 && w.node->next->n == 2);
  free(w.node->next);
  free(w.node);
}
