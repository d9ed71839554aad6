// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// threads.h - threads that a test starts and waits for.
#ifndef TESTS_GLOBALS_THREADS_H
#define TESTS_GLOBALS_THREADS_H

#include "../runtime/check.h"

#include <pthread.h>
#include <stdint.h>

static inline void in_thread(void *(*run)(void *), void *argument) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, run, argument) == 0 && pthread_join(thread, NULL) == 0);
}

// At most 64 at once; every second one's argument is not NULL.
static inline void in_threads(int count, void *(*run)(void *)) {
  pthread_t threads[64];
  for (intptr_t i = 0; i < count; ++i)
    CHECK(pthread_create(&threads[i], NULL, run, (void *)(i & 1)) == 0);
  for (int i = 0; i < count; ++i)
    CHECK(pthread_join(threads[i], NULL) == 0);
}

#endif
