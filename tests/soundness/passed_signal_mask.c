// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as a mask of signals: pthread_sigmask; a new thread begins with its maker's.
#define FITS(N) (((N) & UINT64_C(0x180040100)) == 0)
#include "passed.h"
#include <signal.h>

static int set(union word *w) { return pthread_sigmask(SIG_SETMASK, (sigset_t *)(union word[16]){*w}, NULL) == 0; }

static void get(union word *w) {
  union word mask[16] = {*w};
  EXPECT(pthread_sigmask(SIG_SETMASK, NULL, (sigset_t *)mask) == 0);
  *w = mask[0];
}
