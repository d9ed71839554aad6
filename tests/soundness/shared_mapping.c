// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-28: a pointer stored in a mapping.
#include "soundness.h"
#include <sys/mman.h>

static int descriptor;

static void *reader(void *arg) {
  int **again = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  **again += 1;
  munmap(again, 4096);
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // not-local
  descriptor = memfd_create("soundness", 0);
  EXPECT(descriptor >= 0);
  char zeroes[4096] = {0};
  extern long write(int, const void *, unsigned long);
  EXPECT(write(descriptor, zeroes, sizeof zeroes) == sizeof zeroes);
  int **map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  EXPECT(map != MAP_FAILED);
  *map = block;
  on_thread(reader, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
