// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as the second word of a text: strtok_r.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

static char *token;

static int set(union word *w) {
  char *text = (char *)malloc(16), *rest = NULL;
  strcpy(text, "first/");
  strcat(text, w->text);
  return strtok_r(text, "/", &rest) && (token = strtok_r(NULL, "/", &rest));
}

static void get(union word *w) { strcpy(w->text, token); }
