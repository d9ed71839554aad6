// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// in_library.c - runs a test that lies, heap and all, in a shared library. Access models of libraries are what they are only
// there: in an executable the linker turns all of them into local-exec. Without arguments the library is preloaded; else it is
// LIBRARY, which is opened late, after each HUNGRY has been opened as often as the loader has static TLS for it.
//
// usage: in_library [LIBRARY HUNGRY...]
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

extern int test_main(int argc, char **argv) __attribute__((weak));

int main(int argc, char **argv) {
  if (argc == 1)
    return test_main ? test_main(argc, argv) : 2;
  int refused = 0;
  for (int i = 2; i < argc; ++i)
    if (!dlopen(argv[i], RTLD_NOW | RTLD_LOCAL))
      refused += strstr(dlerror(), "static TLS") != NULL;
  // Its own malloc, not the process's.
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return refused ? 3 : 2;
  }
  int (*run)(int, char **);
  *(void **)&run = dlsym(library, "test_main");
  if (!run || !refused) {
    fprintf(stderr, "%s\n", run ? "the loader never ran out of static TLS" : "no test_main");
    return 2;
  }
  return run(strstr(argv[1], "fast_paths") ? argc : 1, argv);
}
