// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// two_engines.c SECOND [refused] - two engines in one process, used by the same threads in turn. Of two that want %gs the second
// is told who has it.
#include "freehold/globals.h"

#include "engine_types.h"
#include "first_layout.h"

#include "threads.h"

#include <dlfcn.h>

FH_GLOBALS_DECLARE(first);
FH_GLOBALS_DEFINE(first);
FH_RESOURCE_DECLARE(first, executor);
FH_RESOURCE_DEFINE(first, executor);
#define EG(v) FH_G(first, executor, struct executor_globals, v)

static long (*Second)(void);

static void *run(void *exits) {
  CHECK(fh_globals_thread_init(&fh_globals_first));
  FH_GLOBALS_FETCH(first);
  for (long i = 1; i <= 1000; ++i)
    CHECK(++EG(depth) == i && (!Second || Second() == i));
  if (exits)
    CHECK(fh_globals_thread_exit(&fh_globals_first) == 0);
  CHECK(!Second || Second() == 1001);
  return NULL;
}

int main(int argc, char **argv) {
  CHECK(argc >= 2 && fh_globals_startup(&fh_globals_first) == 0);
  CHECK(FH_RESOURCE_REGISTER(first, executor, sizeof(struct executor_globals), NULL, NULL) == 1);
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fprintf(stderr, "%s\n", dlerror());
  CHECK(library);
  int error = ((int (*)(void))dlsym(library, "second_start"))();
  if (argc == 3)
    CHECK(error == FH_GLOBALS_EGS);
  else
    CHECK(error == 0 && (Second = (long (*)(void))dlsym(library, "second_call")) != NULL);
  in_threads(4, run);
  CHECK(((int (*)(void))dlsym(library, "second_stop"))() == 0);
  CHECK(dlclose(library) == 0);
  Second = NULL;
  run(NULL);
  CHECK(fh_globals_shutdown(&fh_globals_first) == 0);
  return 0;
}
