// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as a name: mkdir, scandir.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"
#include <dirent.h>

static int visible(const struct dirent *e) { return e->d_name[0] != '.'; }

static int set(union word *w) {
  in_folder();
  return mkdir(w->text, 0700) == 0;
}

static void get(union word *w) {
  struct dirent **found;
  EXPECT(scandir(".", &found, visible, alphasort) == 1);
  strcpy(w->text, found[0]->d_name);
}
