// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as seconds: localtime_r takes it apart, mktime puts it together.
#include "passed.h"
#include <time.h>

static struct tm parts;

static int set(union word *w) {
  EXPECT(setenv("TZ", "UTC", 1) == 0);
  time_t seconds = w->number;
  return localtime_r(&seconds, &parts) != NULL;
}

static void get(union word *w) { w->number = mktime(&parts); }
