// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as a number of seconds that strptime reads: sprintf, strptime, mktime.
#include "passed.h"
#include <time.h>

static char text[32];

static int set(union word *w) { return sprintf(text, "%lu", w->number) > 0; }

static void get(union word *w) {
  struct tm tm = {0};
  memcpy(&tm, w, sizeof *w);
  EXPECT(strptime(text, "%s", &tm));
  w->number = mktime(&tm);
}
