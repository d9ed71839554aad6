// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as a file's name: open, readdir.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

static int set(union word *w) {
  in_folder();
  return open(w->text, O_CREAT | O_EXCL, 0600) >= 0;
}

static void get(union word *w) { first_entry(w); }
