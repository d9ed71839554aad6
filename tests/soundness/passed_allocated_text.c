// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address printed into a block of libc's.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

static char *text;

static int set(union word *w) { return asprintf(&text, "%s", w->text) == 6; }

static void get(union word *w) { strcpy(w->text, text); }
