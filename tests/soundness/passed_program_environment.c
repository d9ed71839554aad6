// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address in another program's environment: execve in a child.
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
    union word entry[2] = {{.text = {'X', '=', '1', '2', '3', '4', '5', '6'}}, *w};
    execve("/bin/sh", (char *[]){"sh", "-c", "printf '%s' \"${X#??????}\"", NULL}, (char *[]){entry[0].text, NULL});
    _exit(0);
  }
  return waitpid(child, NULL, 0) == child;
}

static void get(union word *w) { EXPECT(read(ends[0], w, 6) == 6); }
