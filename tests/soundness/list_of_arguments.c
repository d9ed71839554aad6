// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-19: a list of arguments that is copied, passed on, kept in a structure and read in another function.
#include "soundness.h"
#include <stdarg.h>

struct cell {
  int *pointer;
};
static struct cell kept;
struct state {
  long pad;
  va_list list;
};

static void *user(void *arg) {
  *kept.pointer += 1;
  return arg;
}

static __attribute__((noinline)) struct cell *next(struct state *s) { return va_arg(s->list, struct cell *); }
static __attribute__((noinline)) struct cell *after(va_list list) {
  (void)va_arg(list, double);
  return va_arg(list, struct cell *);
}
static struct cell *third(int count, ...) {
  va_list list;
  struct state s;
  va_start(list, count);
  va_copy(s.list, list);
  struct cell *own = next(&s);
  own->pointer = NULL;
  struct cell *found = after(s.list);
  va_end(s.list);
  va_end(list);
  return found;
}

int main(void) {
  struct cell own;
  int *block = calloc(1, sizeof(int)); // not-local
  third(2, &own, 1.5, &kept)->pointer = block;
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
