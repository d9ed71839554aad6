// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as the beginning of a temporary file's name: mkstemp, readdir.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

static int set(union word *w) {
  char name[16];
  strcpy(name, w->text);
  strcat(name, "XXXXXX");
  in_folder();
  return mkstemp(name) >= 0;
}

static void get(union word *w) {
  union word name[4] = {*w};
  first_entry(name);
  memcpy(w, name, 6);
}
