// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-18: a context is suspended on one thread and continues on another.
//
// sanitizer: none
#include "soundness.h"
#include <ucontext.h>

static ucontext_t inside, outside;
static int result;

static void body(void) {
  volatile long pad = 0;
  int *block = malloc(sizeof *block); // not-local
  *block = 1;
  swapcontext(&inside, &outside);
  *block += 1;
  result = *block;
  free(block);
  (void)pad;
  swapcontext(&inside, &outside);
}

static void *resumer(void *arg) {
  swapcontext(&outside, &inside);
  return NULL;
}

int main(void) {
  static char stack[1 << 16];
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = sizeof stack;
  inside.uc_link = NULL;
  makecontext(&inside, body, 0);
  swapcontext(&outside, &inside);
  on_thread(resumer, NULL);
  EXPECT(result == 2);
  return 0;
}
