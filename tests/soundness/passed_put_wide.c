// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as wide characters of a file: fputws, fgetws.
#define KEY 0x7f0000000000
#define FITS(N) (BYTE_IS(N, 3, 0) && BYTE_IS(N, 2, 0) && BYTE_IS(N, 5, 0))
#include "passed.h"
#include <locale.h>
#include <wchar.h>

static FILE *file;

static int set(union word *w) {
  wchar_t wide[3] = {0};
  memcpy(wide, w, sizeof *w);
  file = setlocale(LC_CTYPE, "C.UTF-8") ? tmpfile() : NULL;
  return file && fputws(wide, file) >= 0;
}

static void get(union word *w) {
  wchar_t wide[3];
  memcpy(wide, w, sizeof *w);
  rewind(file);
  EXPECT(fgetws(wide, 3, file));
  memcpy(w, wide, sizeof *w);
}
