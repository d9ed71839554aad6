// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address in a warning: warnx.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"
#include <err.h>

static int ends[2];

static int set(union word *w) {
  EXPECT(pipe(ends) == 0);
  int output = dup(2);
  dup2(ends[1], 2);
  warnx("%s", w->text);
  dup2(output, 2);
  return 1;
}

static void get(union word *w) {
  union word line[32];
  line[0] = *w;
  ssize_t n = read(ends[0], line, sizeof line);
  EXPECT(n > 7);
  memcpy(w, line[0].text + n - 7, 6);
}
