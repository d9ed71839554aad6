// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as the name of a time zone, printed by strftime's %Z.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"
#include <time.h>

static char text[64];

static int set(union word *w) {
  struct tm tm = {.tm_zone = w->text};
  return strftime(text, sizeof text, "%Z", &tm) == 6;
}

static void get(union word *w) { strcpy(w->text, text); }
