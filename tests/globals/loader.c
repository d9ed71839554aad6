// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// loader.c [+LIBRARY...] ENGINE [ARGUMENT...] - opens a library that has a test's main under the name test_main, and runs it.
// Before it each LIBRARY, if the loader has room for it.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  for (; argc > 1 && argv[1][0] == '+'; --argc, ++argv)
    dlopen(argv[1] + 1, RTLD_NOW);
  void *engine = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
  if (!engine) {
    fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "loader ENGINE [ARGUMENT...]");
    return 2;
  }
  int (*run)(int, char **) = (int (*)(int, char **))dlsym(engine, "test_main");
  return run(argc - 1, argv + 1);
}
