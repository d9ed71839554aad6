// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address in a path: fortified realpath.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

char *__realpath_chk(const char *name, char *path, size_t size);

static char path[4096];

static int set(union word *w) {
  in_folder();
  return __realpath_chk(w->text, path, sizeof path) == NULL && strrchr(path, '/');
}

static void get(union word *w) { strcpy(w->text, basename(path)); }
