// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as a symbol's name that dlerror complains of: dlsym.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"
#include <dlfcn.h>

static char text[256];

static int set(union word *w) { return dlsym(RTLD_DEFAULT, w->text) == NULL && strncpy(text, dlerror(), sizeof text - 1); }

static void get(union word *w) {
  const char *name = strstr(text, "symbol: ");
  EXPECT(name);
  memcpy(w, name + 8, 6);
}
