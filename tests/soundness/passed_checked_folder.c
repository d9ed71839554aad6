// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as a folder's name: mkdir, chdir, fortified getcwd.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

char *__getcwd_chk(char *text, size_t n, size_t size);

static int set(union word *w) {
  in_folder();
  return mkdir(w->text, 0700) == 0 && chdir(w->text) == 0;
}

static void get(union word *w) {
  union word path[512];
  path[0] = *w;
  EXPECT(__getcwd_chk(path[0].text, sizeof path, sizeof path));
  strcpy(w->text, strrchr(path[0].text, '/') + 1);
}
