// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// no_malloc.c - a program that names no malloc itself; its libraries (stdio, getline here) allocate all the same.
#include <stdio.h>

int main(void) {
  char *line = NULL;
  size_t size = 0;
  FILE *file = fopen("/proc/self/maps", "r");
  int ours = 0;
  while (file && getline(&line, &size, file) > 0)
    ours |= __builtin_strncmp(line, "3000", 4) == 0;
  fclose(file);
  puts(ours ? "ours" : "not ours");
  return 0;
}
