// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address through a stream: fwrite, fread.
#include "passed.h"

static FILE *file;

static int set(union word *w) {
  file = tmpfile();
  return file && fwrite(w, sizeof *w, 1, file) == 1;
}

static void get(union word *w) {
  rewind(file);
  EXPECT(fread(w, sizeof *w, 1, file) == 1);
}
