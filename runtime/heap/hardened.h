// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hardened.h - what the rest of the heap asks of its hardened twin (FREEHOLD_CHECK=check|guard). Only slow paths ask: while it is
// on, heads stay null and no descriptor has `fast`, so that every malloc and free, inlined ones too, comes to a slow path.
#ifndef FHI_HARDENED_H
#define FHI_HARDENED_H

#include "heap.h"

enum fhi_check_mode { FHI_CHECK_OFF, FHI_CHECK_ON, FHI_CHECK_GUARD, FHI_CHECK_UNKNOWN };
extern FHI_HIDDEN _Atomic(int) fhi_check_mode;
// The mode is read from the environment at the first slow path of the process: the first block of all is hardened already.
FHI_HIDDEN bool fhi_hardened_start(void);
static inline bool fhi_hardened(void) {
  int mode = atomic_load_explicit(&fhi_check_mode, memory_order_relaxed);
  return FHI_UNLIKELY(mode != FHI_CHECK_OFF) && (mode != FHI_CHECK_UNKNOWN || fhi_hardened_start());
}
// Blocks that were given out before stay what they are, whatever the mode becomes.
FHI_HIDDEN void fhi_hardened_set(enum fhi_check_mode mode);

// What follows is for the calling thread. NULL: no memory. *zero: the block is known to be zero.
FHI_HIDDEN void *fhi_hardened_malloc(struct fhi_heap *heap, size_t size, size_t alignment, bool *zero);
// The block was asked for by its class only: a sized free may name any size of that class.
FHI_HIDDEN void fhi_hardened_by_class(void *p);

// These return false for an address that never was in the hardened heap. Misuse stops the program.
FHI_HIDDEN bool fhi_hardened_free(void *p, bool sized, size_t size);
FHI_HIDDEN bool fhi_hardened_realloc(void *p, size_t size, void **result);
FHI_HIDDEN bool fhi_hardened_usable_size(const void *p, size_t *size);
// Fills block as fhi_block_at does and sets *found to its answer.
FHI_HIDDEN bool fhi_hardened_block_at(const void *p, struct fhi_block *block, bool *found);

// A free of a block that its caller says was asked for with this alignment: any else stops.
FHI_HIDDEN void fhi_hardened_aligned(const void *p, size_t alignment);
static inline void fhi_check_alignment(const void *p, size_t alignment) {
  if (fhi_hardened())
    fhi_hardened_aligned(p, alignment);
}

// The hardened part of a heap: when its thread has ended (local heaps); when all its blocks are dropped at once by the thread
// that owns it; when idle memory goes back (the bytes given back).
FHI_HIDDEN void fhi_hardened_bury(struct fhi_heap *heap, pid_t tid);
FHI_HIDDEN void fhi_hardened_reset(struct fhi_heap *heap);
FHI_HIDDEN size_t fhi_hardened_trim(struct fhi_heap *heap);

#endif
