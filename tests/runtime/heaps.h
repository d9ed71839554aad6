// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heaps.h - the heap under its private names, so that the same tests run where malloc is a sanitizer's. heaps_start() makes sure
// that local functions use the local heap.
#ifndef FREEHOLD_TESTS_HEAPS_H
#define FREEHOLD_TESTS_HEAPS_H

#include "../../runtime/heap/api.h"
#include "../../runtime/heap/threads.h"

#include "check.h"

#include "freehold/heap.h"

// The last round of key destructors that a test may use: ThreadSanitizer takes its own state away in the fourth, instrumented
// code cannot run any more.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LAST_ROUND 3
#endif
#endif
#ifndef LAST_ROUND
#define LAST_ROUND 4
#endif

static inline void heaps_start(void) { atomic_store(&fhi_front_known, FHI_FRONT_OURS); }

// Resident memory of the process in KiB.
static inline long resident(void) {
  long pages = 0, total = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK(file && fscanf(file, "%ld %ld", &total, &pages) == 2);
  fclose(file);
  return pages * 4;
}

// Of a list of free blocks.
static inline unsigned length_of(const void *list) {
  unsigned count = 0;
  for (; list; list = *(void *const *)list)
    ++count;
  return count;
}

static inline void fill(void *p, size_t size, unsigned seed) {
  unsigned char *bytes = p;
  for (size_t i = 0; i < size; ++i)
    bytes[i] = (unsigned char)(seed + i * 7);
}

static inline int filled(const void *p, size_t size, unsigned seed) {
  const unsigned char *bytes = p;
  for (size_t i = 0; i < size; ++i)
    if (bytes[i] != (unsigned char)(seed + i * 7))
      return 0;
  return 1;
}

#endif
