/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * load.c - a host that knows nothing of the engine: loads the library named first and hands it the other arguments, as a web
 * server does with an interpreter.
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL; /* global: modules use its functions */
  int (*engine_main)(int, char **) = NULL;
  if (library)
    *(void **)&engine_main = dlsym(library, "engine_main");
  if (!engine_main) {
    fprintf(stderr, "engine-load: %s\n", argc > 1 ? dlerror() : "usage: engine-load LIBRARY ARGUMENT...");
    return 2;
  }
  return engine_main(argc - 1, argv + 1);
}
