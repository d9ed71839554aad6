// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-25: malloc and pthread_create found by their names.
//
// link: -ldl
#include "soundness.h"
#include <dlfcn.h>

static void *user(void *arg) {
  *(int *)arg += 1;
  return NULL;
}

int main(void) {
  pthread_t thread;
  int (*start)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  *(void **)&start = dlsym(RTLD_DEFAULT, "pthread_create");
  int *block = calloc(1, sizeof *block); // not-local
  EXPECT(start && start(&thread, NULL, user, block) == 0);
  pthread_join(thread, NULL);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
