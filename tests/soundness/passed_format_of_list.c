// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as the format of vsnprintf.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"
#include <stdarg.h>

static char text[64];

static int print(const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = vsnprintf(text, sizeof text, format, list);
  va_end(list);
  return n;
}

static int set(union word *w) { return print(w->text) == 6; }

static void get(union word *w) { strcpy(w->text, text); }
