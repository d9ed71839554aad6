// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-9, 4a-39: plain code that is told a key reads what our code put there, on the same thread, and keeps it.
//
// steps: CC -c main.c; CLANG -c plain.c; LINK main.o plain.o
#include "../soundness.h"

void plain_look(pthread_key_t key);
int *plain_give(void);

static void *user(void *arg) {
  *plain_give() += 1;
  return arg;
}

int main(void) {
  pthread_key_t key;
  EXPECT(pthread_key_create(&key, NULL) == 0);
  int *block = calloc(1, sizeof(int)); // not-local
  pthread_setspecific(key, block);
  plain_look(key);
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
