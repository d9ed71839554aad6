// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as a stream's position: fseeko, then fgetpos by another thread.
#include "passed.h"

static FILE *file;

static int set(union word *w) {
  file = fdopen(memfd_create("position", 0), "w+");
  return file && fseeko(file, w->number, SEEK_SET) == 0;
}

static void get(union word *w) {
  fpos_t position;
  memset(&position, 0, sizeof position);
  memcpy(&position, w, sizeof *w);
  EXPECT(fgetpos(file, &position) == 0);
  memcpy(w, &position, sizeof *w);
}
