// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as the wish where a map should lie: mmap.
#define FITS(N) (((N) & 0xfff) == 0)
#define KEY 0x100000000000
#include "passed.h"

static void *map;

static int set(union word *w) {
  map = mmap(w->node, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  return map != MAP_FAILED;
}

static void get(union word *w) { w->node = (struct node *)map; }
