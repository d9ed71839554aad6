// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address written through a map of a file: mmap, msync, pread.
#include "passed.h"

static int file;

static int set(union word *w) {
  file = memfd_create("map", 0);
  EXPECT(ftruncate(file, 4096) == 0);
  void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  EXPECT(map != MAP_FAILED);
  memcpy(map, w, sizeof *w);
  return msync(map, 4096, MS_SYNC) == 0;
}

static void get(union word *w) { EXPECT(pread(file, w, sizeof *w, 0) == sizeof *w); }
