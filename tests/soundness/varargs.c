// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-19: anonymous arguments, a va_list handed on, more of them than registers.
#include "soundness.h"
#include <stdarg.h>

static int *kept[10];

static void take_list(int count, va_list args) {
  va_list copy;
  va_copy(copy, args);
  for (int i = 0; i < count; i++)
    kept[i] = va_arg(copy, int *);
  va_end(copy);
}
static void take(int count, ...) {
  va_list args;
  va_start(args, count);
  take_list(count, args);
  va_end(args);
}

static void *user(void *arg) {
  for (int i = 0; i < 9; i++)
    *kept[i] += i;
  return NULL;
}

int main(void) {
  void (*through)(int, ...) = take;
  int *last = calloc(1, sizeof *last);   // shared: FH101
  int *first = calloc(1, sizeof *first); // shared: FH101
  static int own[8];
  through(9, first, own, own, own, own, own, own, own, last);
  on_thread(user, NULL);
  EXPECT(*last == 8 && *first == 0);
  free(first);
  free(last);
  return 0;
}
