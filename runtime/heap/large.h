// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// large.h - blocks beyond the size classes: runs of pages, huge mappings, and packed blocks where address space is scarce.
#ifndef FHI_LARGE_H
#define FHI_LARGE_H

#include "heap.h"

// ---- large.c ----
FHI_HIDDEN void *fhi_large_malloc(struct fhi_heap *heap, size_t size, size_t alignment, bool *zero);
// Frees the block at p; page: its run's first one.
FHI_HIDDEN void fhi_large_free(struct fhi_heap *heap, struct fhi_page *page, const void *p);
// What a run of pages holds from now on, as its first one's state says; gives back one that holds nothing any more.
FHI_HIDDEN void fhi_run_set(struct fhi_page *first, unsigned length, unsigned state);
FHI_HIDDEN void fhi_run_free(struct fhi_heap *heap, struct fhi_page *first);
// Gives a run of the heap's another length where it lies; false: the pages behind it are not free, or it would be huge.
FHI_HIDDEN bool fhi_large_resize(struct fhi_heap *heap, struct fhi_page *page, size_t size);
FHI_HIDDEN void fhi_huge_free(struct fhi_segment *segment);
// The huge block with another size, its content moved without copying; NULL: the caller must copy.
FHI_HIDDEN void *fhi_huge_realloc(struct fhi_heap *heap, struct fhi_segment *segment, size_t size);

// ---- slots.c ----
// Is so much mapped that what is left of a limited address space must be used sparingly? As of the last mapping that was made.
extern FHI_HIDDEN _Atomic(bool) fhi_slots_scarce;
static inline bool fhi_is_scarce(void) { return atomic_load_explicit(&fhi_slots_scarce, memory_order_relaxed); }

// ---- packed.c ----
// Does it have one of the two classes whose blocks fill pages of 64 KiB worst, by three quarters and seven eighths?
static inline bool fhi_packs_small(size_t size) { return size > 5 * FHI_PACKED_ALIGNMENT && size <= 7 * FHI_PACKED_ALIGNMENT; }
// A block where address space is scarce; NULL: no memory for it, or a run of its own is as good.
FHI_HIDDEN void *fhi_packed_malloc(struct fhi_heap *heap, size_t size, bool *zero);
FHI_HIDDEN void fhi_packed_free(struct fhi_heap *heap, struct fhi_page *run, const void *p);
FHI_HIDDEN void fhi_packed_move(struct fhi_heap *from, struct fhi_heap *to, struct fhi_page *run);
FHI_HIDDEN size_t fhi_packed_trim(struct fhi_page *run); // bytes given back
static inline unsigned fhi_packed_vacant(const struct fhi_page *run) { return __atomic_load_n(&run->vacant, __ATOMIC_RELAXED); }

#endif
