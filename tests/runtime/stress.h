// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stress.h - what the stress program stands on: the two families of functions under test, random numbers, and the pattern that
// fills a block. Two programs are built from it: one over the heap's private names, which runs under every sanitizer, and
// (STRESS_PROCESS) one over the process's malloc, whoever's that is; it uses fh_* too where the process has them.
#ifndef FREEHOLD_TESTS_STRESS_H
#define FREEHOLD_TESTS_STRESS_H

#include "check.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

// One kind's functions. NULL: the process has none such.
struct family {
  void *(*malloc)(size_t);
  void *(*calloc)(size_t, size_t);
  void *(*realloc)(void *, size_t);
  void *(*aligned)(size_t, size_t);
  char *(*strdup)(const char *);
  void (*free)(void *);
  void (*free_sized)(void *, size_t);
};
enum { SHARED, LOCAL };
static struct family Families[2];
static size_t (*Usable)(void *);
static bool (*IsLocal)(const void *);
static void (*Trim)(void);

#ifdef STRESS_PROCESS
static void trim(void) { malloc_trim(0); }
static void *look_up(const char *name) { return dlsym(RTLD_DEFAULT, name); }
// Volatile, so that no compiler joins or drops calls.
static void *(*volatile Malloc)(size_t) = malloc;
static void (*volatile Free)(void *) = free;
static void *process_malloc(size_t size) { return Malloc(size); }
static void process_free(void *p) { Free(p); }
static void *process_aligned(size_t alignment, size_t size) {
  void *p = NULL;
  int error = posix_memalign(&p, alignment < sizeof(void *) ? sizeof(void *) : alignment, size);
  if (error)
    errno = error;
  return error ? NULL : p;
}

static void families_start(void) {
  Families[SHARED] = (struct family){process_malloc, calloc, realloc, process_aligned, strdup, process_free, NULL};
  Families[LOCAL] = Families[SHARED];
  Usable = malloc_usable_size;
  Trim = trim;
  IsLocal = (bool (*)(const void *))look_up("fh_is_local");
  if (!IsLocal)
    return;
  Families[LOCAL] = (struct family){
      (void *(*)(size_t))look_up("fh_tls_malloc"),           (void *(*)(size_t, size_t))look_up("fh_tls_calloc"),
      (void *(*)(void *, size_t))look_up("fh_tls_realloc"),  (void *(*)(size_t, size_t))look_up("fh_tls_aligned_alloc"),
      (char *(*)(const char *))look_up("fh_tls_strdup"),     (void (*)(void *))look_up("fh_tls_free"),
      (void (*)(void *, size_t))look_up("fh_tls_free_sized")};
}
#else
#include "heaps.h"

static void *shared_realloc(void *p, size_t size) { return fhi_realloc(FHI_SHARED, p, size); }
static size_t usable(void *p) { return fhi_usable_size(p); }
static void trim(void) { fhi_orphans_trim(); }

static void families_start(void) {
  heaps_start();
  Families[SHARED] =
      (struct family){fhi_shared_malloc, fhi_shared_calloc, shared_realloc, fhi_shared_aligned, NULL, fhi_free, NULL};
  Families[LOCAL] = (struct family){fh_tls_malloc, fh_tls_calloc, fh_tls_realloc,   fh_tls_aligned_alloc,
                                    fh_tls_strdup, fh_tls_free,   fh_tls_free_sized};
  Usable = usable;
  IsLocal = fh_is_local;
  Trim = trim;
}
#endif

// ---- random numbers: splitmix64 ----
static inline uint64_t next(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
static inline bool one_in(uint64_t *state, unsigned n) { return next(state) % n == 0; }

// ---- the pattern ----
// Every byte follows from the block's seed and its place. Small blocks are covered whole; of others the first KiB, the last 64
// bytes, and a word in each 4 KiB, so that no system page can be lost or shared unseen.
enum { Whole = 1024, Tail = 64 };
typedef bool each_word(unsigned char *at, uint64_t word, size_t length);

static inline uint64_t pattern(uint64_t seed, size_t offset) {
  uint64_t state = seed ^ offset;
  return next(&state);
}
static inline bool write_word(unsigned char *at, uint64_t word, size_t length) {
  memcpy(at, &word, length);
  return true;
}
static inline bool compare_word(unsigned char *at, uint64_t word, size_t length) { return memcmp(at, &word, length) == 0; }

// Goes over the pattern of a block of `size` bytes as far as `end`; the offset where `word` said no, or end.
static inline size_t over(unsigned char *bytes, size_t size, size_t end, uint64_t seed, each_word *word) {
  size_t offset = 0, tail = size > Tail ? (size - Tail) & ~(size_t)7 : 0;
  while (offset < end) {
    size_t length = end - offset < 8 ? end - offset : 8;
    if (!word(bytes + offset, pattern(seed, offset), length))
      return offset;
    offset += 8;
    if (offset >= Whole && offset < tail) {
      size_t sparse = (offset & ~(size_t)4095) + 4096 + (seed & 4088);
      offset = sparse < tail ? sparse : tail;
    }
  }
  return end;
}
static inline void fill_pattern(void *p, size_t size, uint64_t seed) { over(p, size, size, seed, write_word); }

#endif
