// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as the size of a stack's guard: pthread_attr_setguardsize, pthread_attr_getguardsize.
#include "passed.h"

static pthread_attr_t attributes;

static int set(union word *w) {
  return pthread_attr_init(&attributes) == 0 && pthread_attr_setguardsize(&attributes, w->number) == 0;
}

static void get(union word *w) {
  size_t size = w->number;
  EXPECT(pthread_attr_getguardsize(&attributes, &size) == 0);
  w->number = size;
}
