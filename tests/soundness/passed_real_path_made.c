// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as a folder's name, told in a block that libc makes: chdir, realpath.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

static int set(union word *w) {
  in_folder();
  return mkdir(w->text, 0700) == 0 && chdir(w->text) == 0;
}

static void get(union word *w) {
  char *path = realpath(".", NULL);
  EXPECT(path);
  strcpy(w->text, strrchr(path, '/') + 1);
  free(path);
}
