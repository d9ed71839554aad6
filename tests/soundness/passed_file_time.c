// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as a file's time: futimens, fstat.
#include "passed.h"

static int file;

static int set(union word *w) {
  struct timespec times[2] = {{w->number, 0}, {w->number, 0}};
  file = memfd_create("time", 0);
  return futimens(file, times) == 0;
}

static void get(union word *w) {
  struct stat s = {.st_mtim = {w->number, 0}};
  EXPECT(fstat(file, &s) == 0);
  w->number = s.st_mtim.tv_sec;
}
