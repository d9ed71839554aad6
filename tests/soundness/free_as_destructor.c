// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-24: free is a key's destructor, on the thread that set the value.
#include "soundness.h"

static pthread_key_t key;

static void *user(void *arg) {
  char *mine = malloc(100); // local
  mine[0] = 1;
  pthread_setspecific(key, mine);
  return NULL;
}

int main(void) {
  EXPECT(pthread_key_create(&key, free) == 0);
  on_thread(user, NULL);
  return 0;
}
