// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// surface.c SHAPE - one wrong thing through the process's own malloc and free, as a program does it that knows nothing of
// Freehold.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Not in every libc's headers yet; the preloaded library has them.
extern void free_sized(void *p, size_t size) __attribute__((weak));
extern void free_aligned_sized(void *p, size_t alignment, size_t size) __attribute__((weak));
// Out of the compiler's sight.
static void (*volatile give)(void *) = free;
static void *(*volatile get)(size_t) = malloc;

int main(int argc, char **argv) {
  const char *shape = argc > 1 ? argv[1] : "";
  char *p = get(40);
  if (strcmp(shape, "nothing") == 0) {
    give(p);
    free_sized(get(40), 40);
    free_aligned_sized(aligned_alloc(64, 100), 64, 100);
    puts("fine");
    return 0;
  }
  if (strcmp(shape, "twice") == 0) {
    give(p);
    give(p);
  } else if (strcmp(shape, "over") == 0) {
    ((volatile char *)p)[40] = 0;
    give(p);
  } else if (strcmp(shape, "inside") == 0) {
    give(p + 16);
  } else if (strcmp(shape, "foreign") == 0) {
    give(&argc);
  } else if (strcmp(shape, "size") == 0) {
    free_sized(p, 41);
  } else if (strcmp(shape, "aligned size") == 0) {
    free_aligned_sized(aligned_alloc(64, 100), 64, 99);
  } else if (strcmp(shape, "alignment") == 0) {
    free_aligned_sized(aligned_alloc(64, 128), 32, 128);
  } else if (strcmp(shape, "no alignment") == 0) {
    free_aligned_sized(aligned_alloc(32, 100000), 0, 100000);
  } else if (strcmp(shape, "behind") == 0) {
    p = get(100000);
    return ((volatile char *)p)[100000];
  } else if (strcmp(shape, "raised") == 0) {
    raise(SIGSEGV);
  }
  return 2;
}
