// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as a set of processors: pthread_attr_setaffinity_np keeps all bits.
#include "passed.h"
#include <sched.h>

static pthread_attr_t attributes;

static int set(union word *w) {
  return pthread_attr_init(&attributes) == 0 && pthread_attr_setaffinity_np(&attributes, sizeof *w, (cpu_set_t *)w) == 0;
}

static void get(union word *w) { EXPECT(pthread_attr_getaffinity_np(&attributes, sizeof *w, (cpu_set_t *)w) == 0); }
