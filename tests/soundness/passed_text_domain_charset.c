// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as a text domain's character set: bind_textdomain_codeset, asked by the same.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"
#include <libintl.h>

static int set(union word *w) { return bind_textdomain_codeset("freehold", w->text) != NULL; }

static void get(union word *w) { strcpy(w->text, bind_textdomain_codeset("freehold", NULL)); }
