// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as a library's name that dlerror complains of: dlopen.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"
#include <dlfcn.h>

static char text[256];

static int set(union word *w) { return dlopen(w->text, RTLD_NOW) == NULL && strncpy(text, dlerror(), sizeof text - 1); }

static void get(union word *w) { memcpy(w, text, 6); }
