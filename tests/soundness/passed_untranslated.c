// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as a message that nobody translates: gettext gives its argument, the copy of it is
// printed.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"
#include <libintl.h>

static char text[16];

static int set(union word *w) { return snprintf(text, sizeof text, "%s", gettext(w->text)) == 6; }

static void get(union word *w) { strcpy(w->text, text); }
