// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as the beginning of a temporary name: tempnam.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

static char *first, *second;

static int set(union word *w) {
  first = tempnam("/", w->text); // it keeps five characters
  second = tempnam("/", w->text + 3);
  return first && second;
}

static void get(union word *w) {
  memcpy(w->text, strrchr(first, '/') + 1, 5);
  memcpy(w->text + 3, strrchr(second, '/') + 1, 3);
}
