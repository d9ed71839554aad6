// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address written to a file by fprintf's %s.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

static FILE *file;

static int set(union word *w) {
  file = tmpfile();
  return file && fprintf(file, "%s", w->text) == 6;
}

static void get(union word *w) {
  rewind(file);
  EXPECT(fgets(w->text, sizeof w->text, file));
}
