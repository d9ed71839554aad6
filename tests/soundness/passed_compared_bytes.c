// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as differences that strcmp gives.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

static volatile uint64_t found;

static int set(union word *w) {
  uint64_t n = 0;
  for (int i = 0; i < 6; i++)
    n |= (uint64_t)(unsigned char)strcmp(w->text + i, "") << 8 * i;
  found = n;
  return n != 0;
}

static void get(union word *w) { w->number = found; }
