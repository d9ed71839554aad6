// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// one_heap.c - executable and library of one process share one heap: blocks made here are freed there and the other way round, in
// every thread, whether the executable brings the runtime (libfreehold.a) or the library does (libfreehold.so).
#include "check.h"

#include "freehold/heap.h"

#include <pthread.h>

// -DTWO_HEAPS: the library is opened late by an executable that does not export its runtime; the library's own copy then hands
// out blocks of the executable's malloc.
#ifdef TWO_HEAPS
#include <dlfcn.h>
#define TWO 1
static void *(*library_pop)(size_t size);
static void (*library_free)(void *p);
static const void *(*library_layout)(void);
static void open_library(void) {
  void *library = dlopen("./libone.so", RTLD_NOW);
  CHECK(library);
  *(void **)&library_pop = dlsym(library, "library_pop");
  *(void **)&library_free = dlsym(library, "library_free");
  *(void **)&library_layout = dlsym(library, "library_layout");
}
#else
#define TWO 0
void *library_pop(size_t size);
void library_free(void *p);
const void *library_layout(void);
static void open_library(void) {}
#endif

static void *use(void *argument) {
  char *kept[200];
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < 200; ++i) {
      kept[i] = i & 1 ? library_pop(40) : fh_tls_malloc(40);
      CHECK(kept[i] && (TWO || fh_is_local(kept[i])));
      memset(kept[i], i, 40);
    }
    for (int i = 0; i < 200; ++i) {
      CHECK(kept[i][39] == (char)i);
      if (TWO ? i & 1 : i & 2)
        library_free(kept[i]);
      else
        free(kept[i]);
    }
  }
  return argument;
}

int main(void) {
  open_library();
  CHECK((library_layout() == &fh_layout_3) == !TWO);
  use(NULL);
  for (int i = 0; i < 20; ++i) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, use, NULL) == 0);
    pthread_join(thread, NULL);
  }
  puts("done");
  return 0;
}
