// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address in a terminal's control characters: tcsetattr, tcgetattr.
#include "passed.h"
#include <termios.h>

static int terminal;

static int set(union word *w) {
  struct termios t;
  terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || tcgetattr(terminal, &t))
    return 0;
  memcpy(t.c_cc, w, sizeof *w);
  return tcsetattr(terminal, TCSANOW, &t) == 0;
}

static void get(union word *w) {
  struct termios t;
  memset(&t, 0, sizeof t);
  memcpy(t.c_cc, w, sizeof *w);
  EXPECT(tcgetattr(terminal, &t) == 0);
  memcpy(w, t.c_cc, sizeof *w);
}
