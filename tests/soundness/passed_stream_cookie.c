// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as the cookie of a stream that its reader gives back: fopencookie, fread.
#include "passed.h"

static FILE *file;

static ssize_t tell(void *cookie, char *buffer, size_t size) {
  memcpy(buffer, &cookie, sizeof cookie);
  return sizeof cookie;
}

static int set(union word *w) {
  cookie_io_functions_t functions = {.read = tell};
  file = fopencookie(w->node, "r", functions);
  return file != NULL;
}

static void get(union word *w) { EXPECT(fread(w, sizeof *w, 1, file) == 1); }
