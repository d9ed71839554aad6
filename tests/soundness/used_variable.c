// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-44: a variable marked `used` is read from outside the analysed code.
//
// link: -ldl -rdynamic
#include "soundness.h"
#include <dlfcn.h>

__attribute__((used, visibility("default"))) int *exported_cell;

static void *user(void *arg) {
  int ***found = (int ***)dlsym(RTLD_DEFAULT, "exported_cell");
  EXPECT(found);
  **(int **)found += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // not-local
  exported_cell = block;
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
