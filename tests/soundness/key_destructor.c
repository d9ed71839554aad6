// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-10: a key's destructor publishes the value.
#include "soundness.h"

static pthread_key_t key;
static int *last;

static void destroy(void *value) { last = value; }

static void *user(void *arg) {
  int *block = malloc(sizeof *block); // shared: FH101
  *block = 6;
  pthread_setspecific(key, block);
  return NULL;
}

int main(void) {
  EXPECT(pthread_key_create(&key, destroy) == 0);
  on_thread(user, NULL);
  EXPECT(*last == 6);
  free(last);
  return 0;
}
