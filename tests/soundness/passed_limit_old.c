// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as a limit: prlimit sets it, prlimit gives the old one.
#include "passed.h"
#include <sys/resource.h>

static int set(union word *w) {
  struct rlimit limit = {w->number, RLIM_INFINITY};
  return prlimit(0, RLIMIT_RSS, &limit, NULL) == 0;
}

static void get(union word *w) {
  struct rlimit limit = {w->number, 0};
  EXPECT(prlimit(0, RLIMIT_RSS, NULL, &limit) == 0);
  w->number = limit.rlim_cur;
}
