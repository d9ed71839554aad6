// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as the folder in a path: dirname.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"
#include <libgen.h>

static const char *folder;

static int set(union word *w) {
  char *path = (char *)malloc(16);
  strcpy(path, w->text);
  strcat(path, "/file");
  folder = dirname(path);
  return strlen(folder) == 6;
}

static void get(union word *w) { strcpy(w->text, folder); }
