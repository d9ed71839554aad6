// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as a text in the environment: putenv, environ.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

static int set(union word *w) {
  char *text = (char *)malloc(16);
  strcpy(text, "PASSED=");
  strcat(text, w->text);
  return putenv(text) == 0;
}

static void get(union word *w) {
  for (char **e = environ; *e; e++)
    if (strncmp(*e, "PASSED=", 7) == 0)
      strcpy(w->text, *e + 7);
}
