// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as the name of a file in memory: memfd_create, readlink.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

static char path[64];

static int set(union word *w) {
  int file = memfd_create(w->text, 0);
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  return file >= 0;
}

static void get(union word *w) {
  union word link[8] = {*w, *w, *w}; // "/memfd:" and the name, which ends at the blank before "(deleted)"
  EXPECT(readlink(path, link[0].text, sizeof link) > 13);
  link[1].text[5] = 0;
  memmove(w->text, link[0].text + 7, 7);
}
