// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// use_keys.c - a library that takes KEYS of the process's thread-specific keys before any other has started. From the 32nd key on
// the C library allocates when a value is stored; when all 1,024 are taken nobody gets one any more.
#include <pthread.h>

__attribute__((constructor(101))) static void use_keys(void) {
  pthread_key_t key;
  for (int i = 0; i < KEYS && pthread_key_create(&key, NULL) == 0; ++i)
    ;
}
