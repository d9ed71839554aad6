// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that grow in turns: what an early one held is in the last one, and an old alias of a slot leads there.
#include "soundness.h"

struct cell {
  int *pointer;
};
static struct cell *kept;

static void *user(void *arg) {
  *kept->pointer += 1;
  *kept[3].pointer += 1;
  return arg;
}

static __attribute__((noinline)) void *more(void *p, size_t n) { return realloc(p, n); }          // not-local
static __attribute__((noinline)) void *array(void *p, size_t n) { return reallocarray(p, n, 1); } // not-local

int main(void) {
  struct cell *list = more(NULL, sizeof *list);
  list->pointer = calloc(1, sizeof(int)); // not-local
  int *first = list->pointer;
  for (int i = 2; i < 200; i *= 2)
    list = i & 4 ? more(list, i * sizeof *list) : array(list, i * sizeof *list);
  list[3].pointer = (int *)strdup("abcdefgh"); // not-local
  kept = list;
  on_thread(user, NULL);
  EXPECT(*first == 1 && *(char *)list[3].pointer == 'b');
  free(first);
  free(list[3].pointer);
  free(list);
  return 0;
}
