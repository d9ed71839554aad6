// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address scanned into a block that libc makes: %m.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

static char line[16];

static int set(union word *w) { return snprintf(line, sizeof line, "%s", w->text) == 6; }

static void get(union word *w) {
  char *made;
  EXPECT(sscanf(line, "%m[^%]", &made) == 1);
  strcpy(w->text, made);
  free(made);
}
