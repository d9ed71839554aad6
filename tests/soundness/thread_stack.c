// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-30: a heap block becomes another thread's stack.
//
// sanitizer: none
#include "soundness.h"

static void *user(void *arg) {
  volatile char space[256];
  for (unsigned i = 0; i < sizeof space; i++)
    space[i] = (char)i;
  EXPECT(space[7] == 7);
  return NULL;
}

int main(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  void *stack = NULL;
  EXPECT(posix_memalign(&stack, 4096, 1 << 17) == 0); // shared: FH305
  pthread_attr_init(&attributes);
  EXPECT(pthread_attr_setstack(&attributes, stack, 1 << 17) == 0);
  EXPECT(pthread_create(&thread, &attributes, user, NULL) == 0);
  pthread_join(thread, NULL);
  free(stack);
  return 0;
}
