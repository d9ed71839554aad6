// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as a time that ctime writes and strptime reads.
#include "passed.h"
#include <time.h>

static char text[80];

static int set(union word *w) {
  setenv("TZ", "UTC0", 1);
  const char *date = ctime((const time_t *)w);
  return date && strcpy(text, date);
}

static void get(union word *w) {
  struct tm tm = {0};
  int year = 0;
  char day[40] = "";
  EXPECT(sscanf(text, "%39[^:]:%d:%d %d", day, &tm.tm_min, &tm.tm_sec, &year) == 4 && strptime(day, "%a %b %d %H", &tm));
  tm.tm_year = year - 1900;
  w->number = mktime(&tm);
}
