// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as a key for sorting: strxfrm.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

static char key[64];

static int set(union word *w) { return strxfrm(key, w->text, sizeof key) == 6; }

static void get(union word *w) { strcpy(w->text, key); }
