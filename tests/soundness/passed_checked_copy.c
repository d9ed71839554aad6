// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address in copies by fortified names: strcpy, strcat, stpcpy.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

char *__strcpy_chk(char *to, const char *from, size_t size);
char *__strcat_chk(char *to, const char *from, size_t size);
char *__stpcpy_chk(char *to, const char *from, size_t size);

static char text[2][64];

static int set(union word *w) {
  __strcpy_chk(text[0], w->text, sizeof text[0]);
  return __strcat_chk(text[1], text[0], sizeof text[1]) == text[1];
}

static void get(union word *w) { EXPECT(__stpcpy_chk(w->text, text[1], sizeof w->text) == w->text + 6); }
