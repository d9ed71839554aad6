// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as where a link leads to: symlinkat, readlinkat. The word is cleared before, so that
// all of it is the address.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

static int set(union word *w) {
  in_folder();
  return symlinkat(w->text, AT_FDCWD, "link") == 0;
}

static void get(union word *w) { EXPECT(readlinkat(AT_FDCWD, "link", w->text, sizeof w->text) == 6); }
