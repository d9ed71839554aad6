// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as the size of a file: ftruncate, fstat.
#include "passed.h"

static int file;

static int set(union word *w) {
  file = memfd_create("size", 0);
  return ftruncate(file, w->number) == 0;
}

static void get(union word *w) {
  struct stat s = {.st_size = w->number};
  EXPECT(fstat(file, &s) == 0);
  w->number = s.st_size;
}
