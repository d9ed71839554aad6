// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as the text of a fortified vsnprintf's %s.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"
#include <stdarg.h>

int __vsnprintf_chk(char *text, size_t n, int flag, size_t size, const char *format, va_list list);

static char text[64];

static int print(const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = __vsnprintf_chk(text, sizeof text, 1, sizeof text, format, list);
  va_end(list);
  return n;
}

static int set(union word *w) { return print("%s", w->text) == 6; }

static void get(union word *w) { strcpy(w->text, text); }
