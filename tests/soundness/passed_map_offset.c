// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: an address as the offset of a map, read in the list of maps: mmap.
#define FITS(N) (((N) & 0xfff) == 0)
#include "passed.h"

static int set(union word *w) { return mmap(NULL, 4096, PROT_READ, MAP_SHARED, memfd_create("map", 0), w->number) != MAP_FAILED; }

static void get(union word *w) {
  char line[512];
  FILE *maps = fopen("/proc/self/maps", "r");
  EXPECT(maps);
  while (fgets(line, sizeof line, maps))
    if (strstr(line, "memfd:map"))
      EXPECT(sscanf(line, "%*s %*s %lx", &w->number) == 1);
  fclose(maps);
}
