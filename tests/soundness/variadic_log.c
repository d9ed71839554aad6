// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-27, 4b-19: a variadic wrapper prints %p with a format it does not know.
#include "soundness.h"
#include <stdarg.h>
#include <stdio.h>

static char text[64];

static void log_to_text(const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
}

static void *reader(void *arg) {
  void *p = NULL;
  EXPECT(sscanf(text, "at %p", &p) == 1);
  *(int *)p += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // not-local
  log_to_text("at %p", (void *)block);
  on_thread(reader, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
