// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-9: the value of a key stays with its thread; its destructor runs there.
#include "soundness.h"

static pthread_key_t key;

static void destroy(void *value) {
  ++*(int *)value;
  free(value);
}

static void *user(void *arg) {
  int *mine = malloc(sizeof *mine); // local
  *mine = 1;
  pthread_setspecific(key, mine);
  EXPECT(*(int *)pthread_getspecific(key) == 1);
  return NULL;
}

int main(void) {
  EXPECT(pthread_key_create(&key, destroy) == 0);
  on_thread(user, NULL);
  on_thread(user, NULL);
  return 0;
}
