// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address in a command: popen, which prints them.
#define FITS(N) (FITS_TEXT(N) && !HAS(N, '\''))
#define KEY 0x717171717171
#include "passed.h"

static FILE *stream;

static int set(union word *w) {
  union word command[3] = {{.text = {'p', 'r', 'i', 'n', 't', 'f', ' ', '\''}}, *w};
  strcat(command[0].text, "'");
  stream = popen(command[0].text, "r");
  return stream != NULL;
}

static void get(union word *w) { EXPECT(fgets(w->text, sizeof w->text, stream)); }
