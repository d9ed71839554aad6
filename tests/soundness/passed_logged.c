// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address logged by syslog to a child's standard error.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"
#include <sys/wait.h>
#include <syslog.h>

static int ends[2];

static int set(union word *w) {
  EXPECT(pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    openlog("", LOG_PERROR, LOG_USER);
    syslog(LOG_DEBUG, "%s", w->text);
    _exit(0);
  }
  return waitpid(child, NULL, 0) == child;
}

static void get(union word *w) {
  union word line[32];
  ssize_t n = read(ends[0], line, sizeof line);
  EXPECT(n > 7);
  memcpy(w, line[0].text + n - 7, 6);
}
