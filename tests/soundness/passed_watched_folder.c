// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as a name: mkfifo, told by inotify.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"
#include <sys/inotify.h>

static int watch;

static int set(union word *w) {
  in_folder();
  watch = inotify_init();
  return inotify_add_watch(watch, ".", IN_CREATE) >= 0 && mkfifo(w->text, 0600) == 0;
}

static void get(union word *w) {
  _Alignas(16) char buffer[4096];
  EXPECT(read(watch, buffer, sizeof buffer) > 0);
  strcpy(w->text, ((struct inotify_event *)buffer)->name);
}
