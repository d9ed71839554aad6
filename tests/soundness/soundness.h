// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// soundness.h - the little that every program here needs: a thread that is waited for, and a test that stops.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(Condition)                                                                                                        \
  do {                                                                                                                           \
    if (!(Condition))                                                                                                            \
      abort();                                                                                                                   \
  } while (0)

/* Runs f(arg) on a thread of its own, waits, and gives its result. Creation and join order all accesses. */
static inline void *on_thread(void *(*f)(void *), void *arg) {
  pthread_t thread;
  void *result = NULL;
  EXPECT(pthread_create(&thread, NULL, f, arg) == 0);
  EXPECT(pthread_join(thread, &result) == 0);
  return result;
}
