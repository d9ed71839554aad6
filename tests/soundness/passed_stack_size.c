// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as the size of a thread's stack: pthread_attr_setstacksize, pthread_attr_getstacksize.
#include "passed.h"

static pthread_attr_t attributes;

static int set(union word *w) {
  return pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, w->number) == 0;
}

static void get(union word *w) {
  size_t size = w->number;
  EXPECT(pthread_attr_getstacksize(&attributes, &size) == 0);
  w->number = size;
}
