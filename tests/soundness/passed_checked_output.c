// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address through the standard output by fortified names: printf, read.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

int __printf_chk(int flag, const char *format, ...);
ssize_t __read_chk(int file, void *buffer, size_t n, size_t size);

static int ends[2];

static int set(union word *w) {
  EXPECT(pipe(ends) == 0);
  int output = dup(1);
  dup2(ends[1], 1);
  int n = __printf_chk(1, "%s", w->text);
  fflush(stdout);
  dup2(output, 1);
  return n == 6;
}

static void get(union word *w) { EXPECT(__read_chk(ends[0], w, sizeof *w, sizeof *w) == 6); }
