// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as the format of a fortified sprintf.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

int __sprintf_chk(char *text, int flag, size_t size, const char *format, ...);

static char text[64];

static int set(union word *w) { return __sprintf_chk(text, 1, sizeof text, w->text) == 6; }

static void get(union word *w) { strcpy(w->text, text); }
