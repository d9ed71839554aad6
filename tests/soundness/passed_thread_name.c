// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as a thread's name: pthread_setname_np, pthread_getname_np.
#define FITS FITS_TEXT
#define KEY 0x717171717171
#include "passed.h"

static pthread_t named;

static int set(union word *w) {
  named = pthread_self();
  return pthread_setname_np(named, w->text) == 0;
}

static void get(union word *w) {
  union word name[2] = {*w, *w};
  EXPECT(pthread_getname_np(named, name[0].text, sizeof name) == 0);
  *w = name[0];
}
