// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as a date's minute and second: asctime.
#include "passed.h"
#include <time.h>

static char text[80];

static int set(union word *w) {
  struct tm tm = {0};
  memcpy(&tm, w, sizeof *w);
  return asctime(&tm) && strcpy(text, asctime(&tm));
}

static void get(union word *w) {
  int parts[2];
  memcpy(parts, w, sizeof *w);
  EXPECT(sscanf(text, "%*s %*s %*d %*d:%d:%d", &parts[1], &parts[0]) == 2);
  memcpy(w, parts, sizeof *w);
}
