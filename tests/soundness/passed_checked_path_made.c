// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as a folder's name, told in a block that libc makes: fortified realpath.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

char *__realpath_chk(const char *name, char *path, size_t size);

static int set(union word *w) {
  in_folder();
  return mkdir(w->text, 0700) == 0 && chdir(w->text) == 0;
}

static void get(union word *w) {
  char *path = __realpath_chk(".", NULL, (size_t)-1);
  EXPECT(path);
  strcpy(w->text, strrchr(path, '/') + 1);
  free(path);
}
