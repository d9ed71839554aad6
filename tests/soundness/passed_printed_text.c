// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-27: the bytes of an address as the text of %s.
#define FITS FITS_TEXT
#include "passed.h"

static char text[16];

static int set(union word *w) { return snprintf(text, sizeof text, "<%s>", w->text) == 8; }

static void get(union word *w) { EXPECT(sscanf(text, "<%6s", w->text) == 1); }
