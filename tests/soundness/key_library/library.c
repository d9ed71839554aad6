// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library: it calls nothing but what has a model.
#include "../soundness.h"

unsigned library_put(void);
unsigned library_put(void) {
  pthread_key_t key;
  EXPECT(pthread_key_create(&key, NULL) == 0);
  int *block = calloc(1, sizeof *block); // not-local
  EXPECT(pthread_setspecific(key, block) == 0);
  return key;
}
