// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as a link's time: lutimes, lstat.
#include "passed.h"
#include <sys/time.h>

static char name[64];

static int set(union word *w) {
  struct timeval times[2] = {{w->number, 0}, {w->number, 0}};
  snprintf(name, sizeof name, "/dev/shm/freehold-link-%d", getpid());
  return symlink("nothing", name) == 0 && lutimes(name, times) == 0;
}

static void get(union word *w) {
  struct stat s = {.st_mtim = {w->number, 0}};
  EXPECT(lstat(name, &s) == 0 && unlink(name) == 0);
  w->number = s.st_mtim.tv_sec;
}
