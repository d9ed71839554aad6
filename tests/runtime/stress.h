// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stress.h - what the stress program stands on: the two families of functions under test. Two programs are built from it: one
// over the heap's private names, which runs under every sanitizer, and (STRESS_PROCESS) one over the process's malloc, whoever's
// that is; it uses fh_* too where the process has them.
#ifndef FREEHOLD_TESTS_STRESS_H
#define FREEHOLD_TESTS_STRESS_H

#include "check.h"
#include "pattern.h"

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
// LOCAL_HEAP: local as well, by way of fh_heap_*.
enum { SHARED, LOCAL, LOCAL_HEAP };
static struct family Families[3];
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
  Families[LOCAL_HEAP] = Families[SHARED];
  if (!IsLocal)
    return;
  Families[LOCAL] = (struct family){
      (void *(*)(size_t))look_up("fh_tls_malloc"),           (void *(*)(size_t, size_t))look_up("fh_tls_calloc"),
      (void *(*)(void *, size_t))look_up("fh_tls_realloc"),  (void *(*)(size_t, size_t))look_up("fh_tls_aligned_alloc"),
      (char *(*)(const char *))look_up("fh_tls_strdup"),     (void (*)(void *))look_up("fh_tls_free"),
      (void (*)(void *, size_t))look_up("fh_tls_free_sized")};
  Families[LOCAL_HEAP] = Families[LOCAL];
}
#else
#include "heaps.h"

static void *shared_realloc(void *p, size_t size) { return fhi_realloc(FHI_SHARED, p, size); }
static size_t usable(void *p) { return fhi_usable_size(p); }
static void trim(void) { fhi_orphans_trim(); }

// The header's macros: inlined.
static void *local_malloc(size_t size) { return fh_tls_malloc(size); }
static void local_free_sized(void *p, size_t size) { fh_tls_free_sized(p, size); }
static void *heap_malloc(size_t size) { return fh_heap_malloc(fh_heap_self(), size); }
static void *heap_calloc(size_t count, size_t size) { return fh_heap_calloc(fh_heap_self(), count, size); }
static void *heap_realloc(void *p, size_t size) { return fh_heap_realloc(fh_heap_self(), p, size); }
static void *heap_aligned(size_t alignment, size_t size) { return fh_heap_aligned_alloc(fh_heap_self(), alignment, size); }
static char *heap_strdup(const char *s) { return fh_heap_strdup(fh_heap_self(), s); }
static void heap_free(void *p) { fh_heap_free(fh_heap_self(), p); }
static void heap_free_sized(void *p, size_t size) { fh_heap_free_sized(fh_heap_self(), p, size); }

static void families_start(void) {
  heaps_start();
  Families[SHARED] =
      (struct family){fhi_shared_malloc, fhi_shared_calloc, shared_realloc, fhi_shared_aligned, NULL, fhi_free, NULL};
  Families[LOCAL] = (struct family){local_malloc,  fh_tls_calloc, fh_tls_realloc,  fh_tls_aligned_alloc,
                                    fh_tls_strdup, fh_tls_free,   local_free_sized};
  Families[LOCAL_HEAP] =
      (struct family){heap_malloc, heap_calloc, heap_realloc, heap_aligned, heap_strdup, heap_free, heap_free_sized};
  Usable = usable;
  IsLocal = fh_is_local;
  Trim = trim;
}
#endif

#endif
