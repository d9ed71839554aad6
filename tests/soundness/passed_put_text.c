// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address put into a file: fputs, getline.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

static FILE *file;

static int set(union word *w) {
  file = tmpfile();
  return file && fputs(w->text, file) >= 0;
}

static void get(union word *w) {
  char *line = NULL;
  size_t size = 0;
  rewind(file);
  EXPECT(getline(&line, &size, file) == 6);
  memcpy(w, line, 6);
  free(line);
}
