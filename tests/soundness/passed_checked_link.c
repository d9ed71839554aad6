// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as a link's target: symlink, fortified readlink.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

ssize_t __readlink_chk(const char *name, char *text, size_t n, size_t size);

static int set(union word *w) {
  in_folder();
  return symlink(w->text, "link") == 0;
}

static void get(union word *w) { EXPECT(__readlink_chk("link", w->text, sizeof w->text, sizeof w->text) == 6); }
