// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address through a file by fortified names: fprintf, fgets.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

int __fprintf_chk(FILE *file, int flag, const char *format, ...);
char *__fgets_chk(char *text, size_t size, int n, FILE *file);

static FILE *file;

static int set(union word *w) {
  file = tmpfile();
  return file && __fprintf_chk(file, 1, "%s", w->text) == 6;
}

static void get(union word *w) {
  rewind(file);
  EXPECT(__fgets_chk(w->text, sizeof w->text, sizeof w->text, file));
}
