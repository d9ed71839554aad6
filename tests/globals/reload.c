// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reload.c SECOND - an engine's library, with a copy of libfreehold-tsrm of its own, is shut down and unloaded while threads that
// used it go on, and loaded again: their ends call nothing that is gone.
#include "threads.h"

#include <dlfcn.h>

static long (*Call)(void);
static pthread_barrier_t Barrier;

static void *goes_on(void *unused) {
  CHECK(Call() == 1 && Call() == 2);
  pthread_barrier_wait(&Barrier);
  pthread_barrier_wait(&Barrier); // unloaded
  return unused;
}

static void *function(void *library, const char *name) {
  void *found = dlsym(library, name);
  CHECK(found);
  return found;
}

static void once(const char *file) {
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fprintf(stderr, "%s\n", dlerror());
  CHECK(library && ((int (*)(void))function(library, "second_start"))() == 0);
  Call = (long (*)(void))function(library, "second_call");
  CHECK(Call() == 1);
  pthread_t threads[4];
  pthread_barrier_init(&Barrier, NULL, 5);
  for (int i = 0; i < 4; ++i)
    CHECK(pthread_create(&threads[i], NULL, goes_on, NULL) == 0);
  pthread_barrier_wait(&Barrier);
  CHECK(((int (*)(void))function(library, "second_stop"))() == 0);
  CHECK(dlclose(library) == 0 && dlopen(file, RTLD_NOW | RTLD_NOLOAD) == NULL);
  pthread_barrier_wait(&Barrier);
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&Barrier);
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  for (int i = 0; i < 3; ++i)
    once(argv[1]);
  return 0;
}
