// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rival-rpmalloc - rpmalloc compiled into the program, with a heap of its own that is passed along (first-class heap).
#define RPMALLOC_FIRST_CLASS_HEAPS 1
#include "rpmalloc.c"

#include "loops.h"

static rpmalloc_heap_t *own;

static __attribute__((constructor)) void make_heap(void) {
  rpmalloc_initialize();
  own = rpmalloc_heap_acquire();
}

ALWAYS_INLINE void *take(size_t size) { return rpmalloc_heap_alloc(own, size); }

ALWAYS_INLINE void give(void *p, size_t size) {
  (void)size;
  rpmalloc_heap_free(own, p);
}
