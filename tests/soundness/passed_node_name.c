// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as the machine's name in a name space of its own: sethostname, uname.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"
#include <sched.h>
#include <sys/utsname.h>

static int set(union word *w) { return unshare(CLONE_NEWUTS) == 0 && sethostname(w->text, 6) == 0; }

static void get(union word *w) {
  struct utsname names;
  memcpy(names.nodename, w, sizeof *w);
  EXPECT(uname(&names) == 0);
  names.nodename[7] = 0;
  memcpy(w, names.nodename, sizeof *w);
}
