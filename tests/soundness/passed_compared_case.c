// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: the bytes of an address as differences that strncasecmp_l gives, which makes capital letters small.
#define CAPITAL(N, I)                                                                                                            \
  (((N) & UINT64_C(0xff) << 8 * (I)) >= (uint64_t)'A' << 8 * (I) && ((N) & UINT64_C(0xff) << 8 * (I)) <= (uint64_t)'Z' << 8 * (I))
#define FITS(N)                                                                                                                  \
  (FITS_TEXT(N) && !CAPITAL(N, 0) && !CAPITAL(N, 1) && !CAPITAL(N, 2) && !CAPITAL(N, 3) && !CAPITAL(N, 4) && !CAPITAL(N, 5))
#define KEY 0x111111111111
#include "passed.h"
#include <locale.h>
#include <strings.h>

static volatile uint64_t found;

static int set(union word *w) {
  locale_t c = newlocale(LC_ALL_MASK, "C", NULL);
  uint64_t n = 0;
  for (int i = 0; i < 6; i++)
    n |= (uint64_t)(unsigned char)strncasecmp_l(w->text + i, "", 1, c) << 8 * i;
  freelocale(c);
  found = n;
  return n != 0;
}

static void get(union word *w) { w->number = found; }
