// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// one_heap.c - executable and library of one process share one heap: blocks made here are freed there and the other way round, in
// every thread, whether the executable brings the runtime (libfreehold.a) or the library does (libfreehold.so).
#include "check.h"

#include "freehold/heap.h"

#include <pthread.h>

void *library_pop(size_t size);
void library_free(void *p);
const void *library_layout(void);

static void *use(void *argument) {
  char *kept[200];
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < 200; ++i) {
      kept[i] = i & 1 ? library_pop(40) : fh_tls_malloc(40);
      CHECK(kept[i] && fh_is_local(kept[i]));
      memset(kept[i], i, 40);
    }
    for (int i = 0; i < 200; ++i) {
      CHECK(kept[i][39] == (char)i);
      if (i & 2)
        library_free(kept[i]);
      else
        free(kept[i]);
    }
  }
  return argument;
}

int main(void) {
  CHECK(library_layout() == &fh_layout_1);
  use(NULL);
  for (int i = 0; i < 20; ++i) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, use, NULL) == 0);
    pthread_join(thread, NULL);
  }
  puts("done");
  return 0;
}
