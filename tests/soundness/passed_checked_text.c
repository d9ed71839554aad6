// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as the text of a fortified snprintf's %s.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

int __snprintf_chk(char *text, size_t n, int flag, size_t size, const char *format, ...);

static char text[64];

static int set(union word *w) { return __snprintf_chk(text, sizeof text, 1, sizeof text, "%s", w->text) == 6; }

static void get(union word *w) { strcpy(w->text, text); }
