// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: setter and getter are called by a loaded library, on two threads of the program:
// pthread_setname_np, pthread_getname_np.
//
// prints: freehold: another malloc stands in front
// steps: CC -fPIC -c library.c; LINKSO library.o -o library.so; CLANG main.c -ldl -Wl,-rpath,$ORIGIN -o program
#include "../soundness.h"
#include <dlfcn.h>

static void *library;

static void *other(void *arg) {
  ((void (*)(void))dlsym(library, "library_take"))();
  return NULL;
}

int main(void) {
  library = dlopen("./library.so", RTLD_NOW);
  EXPECT(library && ((int (*)(void))dlsym(library, "library_pass"))());
  on_thread(other, NULL);
  ((void (*)(void))dlsym(library, "library_end"))();
  return 0;
}
