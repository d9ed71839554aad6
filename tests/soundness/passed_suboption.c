// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as a suboption's value: getsubopt.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

static char *value;

static int set(union word *w) {
  char *const names[] = {(char *)"n", NULL};
  char *options = (char *)malloc(16);
  strcpy(options, "n=");
  strcat(options, w->text);
  return getsubopt(&options, names, &value) == 0;
}

static void get(union word *w) { strcpy(w->text, value); }
