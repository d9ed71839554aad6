// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as the size of a file: ftruncate64, and lseek64 to its end.
#include "passed.h"

static int file;

static int set(union word *w) {
  file = memfd_create("size", 0);
  return ftruncate64(file, w->number) == 0;
}

static void get(union word *w) { w->number = lseek64(file, 0, SEEK_END); }
