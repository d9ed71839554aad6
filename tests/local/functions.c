// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// functions.c - each function of the local heap, through the public header only: contents, zeroes, alignment, errno, overflow,
// size 0, blocks of both kinds, heaps of other threads. Built with the calls inlined both ways and not at all; with
// FREEHOLD_OFF=1 in the environment (argument "off") the same promises hold for shared blocks.
#include "../runtime/check.h"

#include "freehold/heap.h"
#include "freehold/tls_malloc.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>

static bool Local = true; // what fh_is_local must say of blocks from local functions
static bool Ours = true;  // malloc and free are libfreehold's

// Beyond the first bytes not each is looked at: a sanitizer makes them dear.
static size_t stride(size_t i) { return i > 5000 ? 61 : 1; }

static void fill(void *p, size_t size, unsigned seed) {
  unsigned char *bytes = p;
  for (size_t i = 0; i < size; i += stride(i))
    bytes[i] = (unsigned char)(seed + i * 7);
}

static bool filled(const void *p, size_t size, unsigned seed) {
  const unsigned char *bytes = p;
  for (size_t i = 0; i < size; i += stride(i))
    if (bytes[i] != (unsigned char)(seed + i * 7))
      return false;
  return true;
}

#define F(name) tls_##name##_test
#define C(name, ...) fh_tls_##name(__VA_ARGS__)
#include "family.h"
#undef F
#undef C

static fh_heap_t *Heap;
#define F(name) heap_##name##_test
#define C(name, ...) fh_heap_##name(Heap, __VA_ARGS__)
#include "family.h"
#undef F
#undef C

static void only_tls(void) {
  void *p = NULL;
  errno = 77;
  CHECK(fh_tls_posix_memalign(&p, 4, 10) == EINVAL && fh_tls_posix_memalign(&p, 24, 10) == EINVAL);
  CHECK(fh_tls_posix_memalign(&p, 64, SIZE_MAX - 100) == ENOMEM && p == NULL && errno == 77);
  CHECK(fh_tls_posix_memalign(&p, 4096, 10) == 0 && ((uintptr_t)p & 4095) == 0);
  p = fh_tls_reallocarray(p, 100, 40);
  CHECK(p);
  errno = 0;
  CHECK(fh_tls_reallocarray(p, SIZE_MAX / 2, 3) == NULL && errno == ENOMEM);
  fh_tls_free(p);
  // The functions behind the macros.
  void *(*allocate)(size_t) = fh_tls_malloc;
  void (*release)(void *, size_t) = fh_tls_free_sized;
  p = allocate(100);
  CHECK(p && (fh_tls_calloc)(1, 1));
  release(p, 100);
  tls_free_sized(tls_malloc(12), 12);
  tls_free(tls_strdup("x"));
}

static long resident(void) {
  long pages = 0, total = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK(file && fscanf(file, "%ld %ld", &total, &pages) == 2);
  fclose(file);
  return pages * 4;
}

// Memory of one class serves another once it is free, though inlined frees leave it in the class's list.
static void reuse(void) {
  enum { Bytes = 4 << 20 };
  static void *blocks[Bytes / 16];
  long before = resident();
  for (size_t size = 16; size <= 640; size += 16) {
    for (size_t i = 0; i < Bytes / size; ++i)
      *(char *)(blocks[i] = fh_tls_malloc(size)) = 1;
    for (size_t i = 0; i < Bytes / size; ++i)
      fh_tls_free_sized(blocks[i], size);
  }
  CHECK(resident() < before + (24 << 10) || !Ours); // a sanitizer needs memory of its own
}

// Blocks freed by a size of 0 that the compiler does not know: they are used again for size 0 and, once there are many, for
// others.
static void size_zero(void) {
  enum { Count = (4 << 20) / 16 };
  static void *blocks[Count];
  volatile size_t zero = 0;
  long before = resident();
  for (int round = 0; round < 12; ++round) {
    size_t size = round % 2 == 0 ? zero : 600;
    size_t count = round % 2 == 0 ? Count : Count * 16 / 608;
    for (size_t i = 0; i < count; ++i) {
      blocks[i] = fh_tls_malloc(size);
      CHECK(blocks[i] && (i == 0 || blocks[i] != blocks[i - 1]));
      if (size != 0)
        *(char *)blocks[i] = 1;
    }
    for (size_t i = 0; i < count; ++i)
      fh_tls_free_sized(blocks[i], size);
  }
  CHECK(resident() < before + (16 << 10) || !Ours);
  void *older = fh_tls_malloc(zero);
  fh_tls_free_sized(older, zero);
  fh_mark_t mark = fh_heap_mark(Heap);
  void *younger = fh_tls_malloc(zero);
  CHECK(younger && (younger != older || !Local || getenv("FREEHOLD_CHECK")));
  fh_heap_reset(Heap, mark);
  blocks[0] = fh_tls_malloc(zero);
  CHECK(blocks[0]);
  fh_tls_free_sized(blocks[0], zero);
}

static void *use_other_heap(void *heap) {
  (fh_heap_free)(heap, (fh_heap_malloc)(heap, 16));
  return NULL;
}

static void other_thread(void) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, use_other_heap, fh_heap_self()) == 0);
  pthread_join(thread, NULL);
}

static void *all(void *argument) {
  (void)argument;
  reuse();
  Heap = fh_heap_self();
  CHECK(Heap && Heap == fh_heap_self());
  tls_family_test();
  heap_family_test();
  size_zero();
  CHECK(Heap->push_from != UINTPTR_MAX || !Local || getenv("FREEHOLD_CHECK")); // inlined frees did push until here
  tls_aligned_test(); // among them runs of pages for small sizes, which end that
  CHECK(Heap->push_from == UINTPTR_MAX);
  heap_aligned_test();
  tls_family_test();
  only_tls();
  return NULL;
}

int main(int argc, char **argv) {
#ifdef FREEHOLD_SANITIZED
  extern _Atomic(int) fhi_front_known; // malloc is the sanitizer's: use the local heap all the same
  fhi_front_known = 1;
  Ours = false;
#endif
  if (argc > 1 && strcmp(argv[1], "off") == 0)
    Local = false;
  all(NULL);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, all, NULL) == 0);
  pthread_join(thread, NULL);
  STOPS(other_thread(), "whose heap it is not");
  return 0;
}
