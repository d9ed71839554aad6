// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fast_paths.c - libfreehold.so's model: with static TLS the fast paths are on, with an offset that is the variable's in every
// thread; without it they are off, and everything works all the same (the other tests run so too). Opened late by in_library
// (which then hands an argument on), there is none.
#include "heaps.h"

#include <pthread.h>

static int Without;

static void *look(void *argument) {
  void *p = fhi_local_malloc(40), *q = fhi_shared_malloc(40);
  CHECK(p && q && fh_is_local(p) && !fh_is_local(q));
  fhi_free(p);
  fhi_free(q);
  CHECK(fhi_self() != &fhi_no_self);
  if (Without)
    CHECK(fhi_fast.small == 0 && fhi_fast.pages == 0 && fhi_fast.local_pages == 0);
  else
    CHECK(fhi_fast.small == FH_SMALL_MAX && fhi_self_fast() == fhi_self());
  return argument;
}

int main(int argc, char **argv) {
  (void)argv;
  Without = argc > 1;
  heaps_start();
  look(NULL);
  for (int i = 0; i < 10; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, look, NULL);
    pthread_join(thread, NULL);
  }
  return 0;
}
