// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as strftime's format.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"
#include <time.h>

static char text[64];

static int set(union word *w) {
  struct tm tm = {0};
  return strftime(text, sizeof text, w->text, &tm) == 6;
}

static void get(union word *w) { strcpy(w->text, text); }
