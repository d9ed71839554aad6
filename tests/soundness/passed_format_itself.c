// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as a format.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

static char text[64];

static int set(union word *w) { return sprintf(text, w->text) == 6; }

static void get(union word *w) { strcpy(w->text, text); }
