// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// api.h - the malloc family for both kinds. fh_tls_* and the override are thin shells around these; all set errno to ENOMEM when
// they return NULL for want of memory.
#ifndef FHI_API_H
#define FHI_API_H

#include "fast.h"

FHI_HIDDEN void *fhi_shared_malloc(size_t size);
FHI_HIDDEN void *fhi_local_malloc(size_t size);
FHI_HIDDEN void *fhi_shared_calloc(size_t count, size_t size);
FHI_HIDDEN void *fhi_local_calloc(size_t count, size_t size);
// Any alignment that is a power of two.
FHI_HIDDEN void *fhi_shared_aligned(size_t alignment, size_t size);
FHI_HIDDEN void *fhi_local_aligned(size_t alignment, size_t size);
// realloc of a block of either kind: it keeps its kind. NULL is malloc of `kind`; size 0 frees and returns NULL, as glibc does.
FHI_HIDDEN void *fhi_realloc(enum fhi_kind kind, void *p, size_t size);
FHI_HIDDEN void fhi_free(void *p);
// Stops if the heap that a fh_heap_* function was given is not the calling thread's. fhi_no_self is what a thread was given for
// which there was no memory; it may have a record of its own by now.
FHI_HIDDEN _Noreturn void fhi_stop_other_heap(const void *heap);
static inline void fhi_check_heap(const void *heap) {
  if (FHI_UNLIKELY(heap != fhi_self()) && heap != &fhi_no_self)
    fhi_stop_other_heap(heap);
}
// count * size, or SIZE_MAX where that overflows: no allocator grants it.
static inline size_t fhi_product(size_t count, size_t size) {
  size_t total;
  return __builtin_mul_overflow(count, size, &total) ? SIZE_MAX : total;
}

#endif
