// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as a name: mkdir, ftw.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"
#include <ftw.h>

static __thread union word *wanted;

static int visit(const char *path, const struct stat *s, int kind) {
  if (path[1] == '/')
    strcpy(wanted->text, path + 2);
  return 0;
}

static int set(union word *w) {
  in_folder();
  return mkdir(w->text, 0700) == 0;
}

static void get(union word *w) {
  wanted = w;
  EXPECT(ftw(".", visit, 4) == 0);
}
