// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-9: what getspecific returns is handed on.
#include "soundness.h"

static pthread_key_t key;

static void *reader(void *arg) {
  *(int *)arg += 1;
  return NULL;
}

int main(void) {
  EXPECT(pthread_key_create(&key, NULL) == 0);
  int *block = calloc(1, sizeof *block); // shared: FH102
  pthread_setspecific(key, block);
  on_thread(reader, pthread_getspecific(key));
  EXPECT(*block == 1);
  free(block);
  return 0;
}
