// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as a limit: setrlimit, getrlimit.
#include "passed.h"
#include <sys/resource.h>

static int set(union word *w) {
  struct rlimit limit;
  EXPECT(getrlimit(RLIMIT_RSS, &limit) == 0);
  limit.rlim_cur = w->number;
  return setrlimit(RLIMIT_RSS, &limit) == 0;
}

static void get(union word *w) {
  struct rlimit limit = {w->number, 0};
  EXPECT(getrlimit(RLIMIT_RSS, &limit) == 0);
  w->number = limit.rlim_cur;
}
