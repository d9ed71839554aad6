// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address in a stream's buffer: setvbuf, fwrite.
#include "passed.h"

static char buffer[4096];

static int set(union word *w) {
  FILE *file = tmpfile();
  return file && setvbuf(file, buffer, _IOFBF, sizeof buffer) == 0 && fwrite(w, sizeof *w, 1, file) == 1;
}

static void get(union word *w) { memcpy(w, buffer, sizeof *w); }
