// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bits of an address asked one by one as a set's members: sigismember.
#define FITS(N) (((N) & UINT64_C(0x180000000)) == 0)
#include "passed.h"
#include <signal.h>

static volatile uint64_t found;

static int set(union word *w) {
  uint64_t n = 0;
  union word whole[16] = {*w};
  for (int bit = 0; bit < 48; bit++)
    if (sigismember((sigset_t *)whole, bit + 1))
      n |= UINT64_C(1) << bit;
  found = n;
  return n != 0;
}

static void get(union word *w) { w->number = found; }
