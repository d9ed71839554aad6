// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as a variable of the environment: setenv, getenv.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

static int set(union word *w) { return setenv("FREEHOLD_TEST_KEPT", w->text, 1) == 0; }

static void get(union word *w) { strcpy(w->text, getenv("FREEHOLD_TEST_KEPT")); }
