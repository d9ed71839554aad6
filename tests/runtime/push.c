// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// push.c - when inlined frees may push: only while this thread's heads hold its own local blocks and nothing else can reach them.
#include "heaps.h"

#include <pthread.h>

static pthread_key_t Key;
static int LatePush = -1;

static void late(void *argument) {
  if (argument == (void *)1) {
    pthread_setspecific(Key, (void *)2); // the next round comes after the runtime's own destructor
    return;
  }
  fh_tls_free(fh_tls_malloc(100));
  LatePush = fhi_self()->push_from != UINTPTR_MAX;
}

static void *with_heap(void *unused) {
  CHECK(fhi_self()->push_from == UINTPTR_MAX);
  fhi_free(fhi_shared_malloc(10));
  CHECK(fhi_self()->push_from == UINTPTR_MAX);
  fh_tls_free(fh_tls_malloc(10));
  CHECK(fhi_self()->push_from == FH_LOCAL_BASE);
  fhi_free(fhi_shared_malloc(10));
  CHECK(fhi_self()->push_from == FH_LOCAL_BASE);
  pthread_setspecific(Key, (void *)1);
  return unused;
}

// Pages of their own for a size that has a class: the block must never come to that class's head.
static void *untold(void *unused) {
  fh_tls_free(fh_tls_malloc(10));
  CHECK(fhi_self()->push_from == FH_LOCAL_BASE);
  char *p = fh_tls_aligned_alloc(65536, 10);
  CHECK(fhi_usable_size(p) == FHI_PAGE_SIZE);
  CHECK(fhi_self()->push_from == UINTPTR_MAX);
  fh_tls_free(fh_tls_malloc(3000));
  fh_tls_free_sized(p, 10);
  CHECK(fhi_self()->push_from == UINTPTR_MAX);
  return unused;
}

// realloc leaves no such block behind.
static void *resized(void *unused) {
  char *p = fh_tls_malloc(40000);
  p = fh_tls_realloc(p, FH_CLASSED_MAX);
  CHECK(fhi_usable_size(p) == FH_CLASSED_MAX && fhi_self()->push_from == FH_LOCAL_BASE);
  fh_tls_free_sized(p, FH_CLASSED_MAX);
  return unused;
}

// Shared blocks in place of local ones are told by their address.
static void *heap_too_late(void *unused) {
  fhi_test_heaps_left = 0;
  char *p = fh_tls_malloc(10);
  CHECK(p && !fh_is_local(p) && fhi_self()->push_from == UINTPTR_MAX);
  fhi_test_heaps_left = -1;
  char *q = fh_tls_malloc(10);
  CHECK(q && fh_is_local(q) && fhi_self()->push_from == FH_LOCAL_BASE && (uintptr_t)p < FH_LOCAL_BASE);
  fh_tls_free(p);
  fh_tls_free(q);
  return unused;
}

static void run(void *(*body)(void *)) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, body, NULL) == 0);
  pthread_join(thread, NULL);
}

int main(void) {
  heaps_start();
  CHECK((const char *)&fhi_self()->push_from - (const char *)fhi_self() == FH_PUSH_OFFSET);
  fhi_free(fhi_shared_malloc(10)); // makes the runtime's key, the first one
  CHECK(pthread_key_create(&Key, late) == 0);
  run(with_heap);
  CHECK(LatePush == 0);
  run(untold);
  run(resized);
  run(heap_too_late);
  return 0;
}
