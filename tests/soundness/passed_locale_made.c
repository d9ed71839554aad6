// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as the modifier of a locale object: newlocale.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"
#include <locale.h>

static locale_t made;

static int set(union word *w) {
  char name[16] = "C.UTF-8@";
  strcpy(name + 8, w->text);
  return (made = newlocale(LC_CTYPE_MASK, name, (locale_t)0)) != NULL;
}

static void get(union word *w) { strcpy(w->text, made->__names[LC_CTYPE] + 8); }
