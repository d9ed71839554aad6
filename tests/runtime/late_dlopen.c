// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// late_dlopen.c - libfreehold.so opened late and privately: its malloc is not the process's, its local functions work all the
// same.
#include "check.h"

#include <dlfcn.h>
#include <pthread.h>

static void *(*tls_malloc)(size_t);
static void (*tls_free)(void *);

static void *use(void *argument) {
  for (size_t size = 1; size < 100000; size *= 2) {
    char *p = tls_malloc(size);
    CHECK(p);
    memset(p, 1, size);
    if (size & 0x5555)
      tls_free(p);
    else
      free(p); // it is the process's own block
  }
  return argument;
}

int main(int argc, char **argv) {
  CHECK(argc > 1);
  pthread_t thread;
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fprintf(stderr, "%s\n", dlerror());
  CHECK(library);
  *(void **)&tls_malloc = dlsym(library, "fh_tls_malloc");
  *(void **)&tls_free = dlsym(library, "fh_tls_free");
  CHECK(tls_malloc && tls_free);
  use(NULL);
  CHECK(pthread_create(&thread, NULL, use, NULL) == 0);
  pthread_join(thread, NULL);
  dlclose(library);
  puts("done");
  return 0;
}
