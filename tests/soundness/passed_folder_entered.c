// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as the working folder: chdir, getcwd.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

static int set(union word *w) {
  in_folder();
  return mkdir(w->text, 0700) == 0 && chdir(w->text) == 0;
}

static void get(union word *w) {
  static char path[4096];
  EXPECT(getcwd(path, sizeof path));
  strcpy(w->text, strrchr(path, '/') + 1);
}
