// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as an option's argument: getopt, optarg.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

static int set(union word *w) {
  static char text[8];
  char *arguments[] = {(char *)"program", (char *)"-n", text, NULL};
  snprintf(text, sizeof text, "%s", w->text);
  return getopt(3, arguments, "n:") == 'n';
}

static void get(union word *w) { strcpy(w->text, optarg); }
