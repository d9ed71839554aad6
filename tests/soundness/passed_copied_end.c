// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address copied by stpcpy.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

static char text[16];

static int set(union word *w) { return stpcpy(text, w->text) == text + 6; }

static void get(union word *w) { EXPECT(stpcpy(w->text, text) == w->text + 6); }
