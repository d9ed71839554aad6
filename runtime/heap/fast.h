// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fast.h - the fast paths behind a call. Inlined into fh_tls_* and into the override of malloc and free, so that each is one
// function without a further call. No atomic read-modify-write, lock or fence here.
#ifndef FHI_FAST_H
#define FHI_FAST_H

#include "heap.h"

// fh_class_of for size <= FH_SMALL_MAX, three instructions.
static inline unsigned fhi_small_class(size_t size) { return (unsigned)((size - (size != 0)) >> 4); }

// Pops a block of the class, NULL if its head is empty.
static inline void *fhi_pop(void **heads, size_t class) {
  void *p = heads[class];
  if (FHI_LIKELY(p != NULL))
    heads[class] = *(void **)p;
  return p;
}

// Does a block of the page's class begin at p?
static inline bool fhi_is_block_start(const struct fhi_page *page, const void *p) {
  return (uint32_t)((uintptr_t)p & (FHI_PAGE_SIZE - 1)) * page->inverse < page->inverse;
}

// Puts a block back into its page, which is of a class and owned by this thread. Returns false when the slow path must look at
// the page: it was full, or it is empty now.
static inline bool fhi_push(struct fhi_page *page, void *p) {
  void **list = page->list;
  void *first = *list;
  if (FHI_UNLIKELY(first == p) || FHI_UNLIKELY(!fhi_is_block_start(page, p)))
    fhi_stop_double_free(p);
  *(void **)p = first;
  *list = p;
  return FHI_LIKELY(--page->used != 0); // of a current page nobody keeps it up, and it may wrap
}

// free(): blocks of both kinds that this thread owns; all else goes to fhi_free_slow.
static inline void fhi_free_any(void *p) {
  if (FHI_UNLIKELY(!fhi_in_range(p))) {
    fhi_free_slow(p);
    return;
  }
  struct fhi_page *page = fhi_page_of(p);
  struct fhi_self *self = fhi_self();
  struct fhi_heap *heap = page->fast;
  if (FHI_UNLIKELY(heap != self->shared) && FHI_UNLIKELY(heap != self->local)) {
    fhi_free_slow(p);
    return;
  }
  if (FHI_UNLIKELY(!fhi_push(page, p)))
    fhi_page_trigger(heap, page);
}

// The out-of-line parts; internal names of the allocators of both kinds.
FHI_HIDDEN void *fhi_shared_malloc_slow(size_t size);
FHI_HIDDEN void *fhi_local_malloc_slow(size_t size);

static inline void *fhi_shared_malloc_fast(size_t size) {
  if (FHI_LIKELY(size <= FH_SMALL_MAX)) {
    void *p = fhi_pop(fhi_self()->shared->heads, fhi_small_class(size));
    if (FHI_LIKELY(p != NULL))
      return p;
  }
  return fhi_shared_malloc_slow(size);
}

static inline void *fhi_local_malloc_fast(size_t size) {
  if (FHI_LIKELY(size <= FH_SMALL_MAX)) {
    void *p = fhi_pop(fhi_self()->heads, fhi_small_class(size));
    if (FHI_LIKELY(p != NULL))
      return p;
  }
  return fhi_local_malloc_slow(size);
}

#endif
