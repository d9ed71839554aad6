// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as another program's argument: execv in a child.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"
#include <sys/wait.h>

static int ends[2];

static int set(union word *w) {
  EXPECT(pipe(ends) == 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 1);
    execv("/bin/echo", (char *[]){"echo", w->text, NULL});
    _exit(0);
  }
  return waitpid(child, NULL, 0) == child;
}

static void get(union word *w) { EXPECT(read(ends[0], w, 6) == 6); }
