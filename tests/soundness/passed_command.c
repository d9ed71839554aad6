// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address in a command: system, read from the file that it wrote.
#define FITS(N) (FITS_TEXT(N) && !HAS(N, '\''))
#define KEY 0x717171717171
#include "passed.h"

static int set(union word *w) {
  union word command[3] = {{.text = {'p', 'r', 'i', 'n', 't', 'f', ' ', '\''}}, *w};
  in_folder();
  strcat(command[0].text, "'>out");
  return system(command[0].text) == 0;
}

static void get(union word *w) {
  FILE *file = fopen("out", "r");
  EXPECT(file && fgets(w->text, sizeof w->text, file));
}
