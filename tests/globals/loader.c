// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// loader.c ENGINE [ARGUMENT...] - opens a library that has a test's main under the name test_main, and runs it.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  void *engine = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
  if (!engine) {
    fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "loader ENGINE [ARGUMENT...]");
    return 2;
  }
  int (*run)(int, char **) = (int (*)(int, char **))dlsym(engine, "test_main");
  return run(argc - 1, argv + 1);
}
