// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as a locale's modifier: setlocale.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"
#include <locale.h>

static int set(union word *w) {
  char name[16] = "C.UTF-8@";
  strcpy(name + 8, w->text);
  return setlocale(LC_CTYPE, name) != NULL;
}

static void get(union word *w) {
  char name[16];
  memcpy(name + 8, w, sizeof *w);
  strcpy(name, setlocale(LC_CTYPE, NULL));
  memcpy(w, name + 8, sizeof *w);
}
