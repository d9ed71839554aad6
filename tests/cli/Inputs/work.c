// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One local allocation; OWN: a malloc of its own.
#include <stdlib.h>
#include <string.h>

#ifdef OWN
static char Memory[1 << 20];
static size_t Used;
void *malloc(size_t size) { return Memory + (Used += size) - size; }
void free(void *p) { (void)p; }
#endif

int work(const char *text) {
  char *copy = malloc(64);
  strncpy(copy, text, 63);
  copy[63] = 0;
  int length = (int)strlen(copy);
  free(copy);
  return length;
}
#ifndef LIBRARY
int main(int argc, char **argv) { return argc > 0 ? work(argv[0]) == 0 : 1; }
#endif
