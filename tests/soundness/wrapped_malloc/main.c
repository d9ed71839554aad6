// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-27: --wrap=malloc; the wrapper publishes every block it gives out.
//
// flags: -fno-builtin-malloc
// steps: CC -c main.c; LINK main.o -Wl,--wrap=malloc
#include "../soundness.h"

void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);
static int *last;

void *__wrap_malloc(size_t n) { return last = __real_malloc(n); }

static void *user(void *arg) {
  *last += 1;
  return NULL;
}

int main(void) {
  volatile int *block = malloc(sizeof *block); // not-rewritten
  *block = 1;
  EXPECT(last == block);
  on_thread(user, NULL);
  EXPECT(*block == 2);
  free((void *)block);
  return 0;
}
