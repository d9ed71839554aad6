// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-25, 4a-41: a function of the program found by its name.
//
// link: -rdynamic -ldl
#include "soundness.h"
#include <dlfcn.h>

static int *kept;
void keep(int *p);
void keep(int *p) { kept = p; }

static void *user(void *arg) {
  *kept += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // not-local
  void (*found)(int *) = (void (*)(int *))dlsym(RTLD_DEFAULT, "keep");
  EXPECT(found);
  found(block);
  on_thread(user, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
