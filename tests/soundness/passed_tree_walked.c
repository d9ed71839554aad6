// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as a name: mkdirat, nftw.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"
#include <ftw.h>

static __thread union word *wanted;

static int visit(const char *path, const struct stat *s, int kind, struct FTW *where) {
  if (where->level == 1)
    strcpy(wanted->text, path + where->base);
  return 0;
}

static int set(union word *w) {
  in_folder();
  return mkdirat(AT_FDCWD, w->text, 0700) == 0;
}

static void get(union word *w) {
  wanted = w;
  EXPECT(nftw(".", visit, 4, FTW_PHYS) == 0);
}
