// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-19: a structure passed by value among the anonymous arguments lies in the caller's area itself, not its address.
#include "soundness.h"
#include <stdarg.h>

struct cell {
  int *pointer;
};
struct big {
  struct cell *cell;
  long pad[4];
};
static struct cell kept;

static void *user(void *arg) {
  *kept.pointer += 1;
  return arg;
}

static struct cell *first_of(int count, ...) {
  va_list list;
  va_start(list, count);
  struct big b = va_arg(list, struct big);
  va_end(list);
  return b.cell;
}

int main(void) {
  struct big b = {&kept, {0}};
  int *block = calloc(1, sizeof(int)); // not-local
  first_of(1, b)->pointer = block;
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
