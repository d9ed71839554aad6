// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fast.h - the fast paths behind a call. Inlined into fh_tls_* and into the override of malloc and free, so that each is one
// function without a further call. No atomic read-modify-write, lock or fence here.
#ifndef FHI_FAST_H
#define FHI_FAST_H

#include "heap.h"

// fh_class_of for 0 < size <= FH_SMALL_MAX, given size - 1: then size 0 is beyond FH_SMALL_MAX, and the slow path's.
static inline size_t fhi_small_class(size_t less_one) { return less_one >> 4; }

// Pops a block of the class, NULL if its head is empty.
static inline void *fhi_pop(void **heads, size_t class) {
  void *p = heads[class];
  if (FHI_LIKELY(p != NULL))
    heads[class] = *(void **)p;
  return p;
}

// The same of a heap's heads, of whichever kind: one more may be kept there (keep.c).
static inline void *fhi_pop_of(struct fhi_heap *heap, void **heads, size_t class) {
  void *p = fhi_pop(heads, class);
  if (FHI_LIKELY(p != NULL))
    ++heap->keep.room[class + 1];
  return p;
}

// If the class's head is dry: fills it with what came back to its current page, and pops one; NULL if nothing did. The usual
// case where blocks are freed and taken all the time; all else is the slow path's (page.c).
static inline void *fhi_pop_again(struct fhi_heap *heap, void **heads, size_t class) {
  struct fhi_page *page = heap->current[class];
  void *p = page ? page->free : NULL;
  if (!p || FHI_UNLIKELY(heads[class] != NULL) || FHI_UNLIKELY(page->away != 0) || FHI_UNLIKELY(heap->keep.on) ||
      fhi_idle_calls(heap))
    return NULL;
  page->free = NULL;
  page->used = FHI_CURRENT + page->carved - page->returned;
  heads[class] = *(void **)p;
  return p;
}

// Does a block of the page's class begin at p?
static inline bool fhi_is_block_start(const struct fhi_page *page, const void *p) {
  return (uint32_t)((uintptr_t)p & (FHI_PAGE_SIZE - 1)) * page->inverse < page->inverse;
}

// Is a page of that number one of the `pages` at base? The compiler must not see where the values come from: it would find other
// ways to the same answer, which are longer here, where the number is needed anyway.
static inline bool fhi_fast_in(uintptr_t number, uintptr_t base, uintptr_t pages) {
  uintptr_t distance = number - (base >> FHI_PAGE_SHIFT);
  __asm__("" : "+r"(distance));
  return distance < pages;
}
static inline uintptr_t fhi_fast_number(const void *p) {
  uintptr_t number = fhi_page_number(p);
  __asm__("" : "+r"(number));
  return number;
}

// Puts a block back into its page, which is of a class and owned by this thread. Returns false when the slow path must look at
// the page: it was full, or it is empty now.
static inline bool fhi_push_unchecked(struct fhi_page *page, void *p) {
  *(void **)p = page->free;
  page->free = p;
  return FHI_LIKELY(--page->used != 0);
}

// The same, and stops at an address where no block begins and at the second free of the block that was freed last.
static inline bool fhi_push(struct fhi_page *page, void *p) {
  void *first = page->free;
  if (FHI_UNLIKELY(first == p) || FHI_UNLIKELY(!fhi_is_block_start(page, p)))
    fhi_stop_double_free(p);
  *(void **)p = first;
  page->free = p;
  return FHI_LIKELY(--page->used != 0);
}

// The out-of-line parts of free.
FHI_HIDDEN void fhi_free(void *p);
FHI_HIDDEN void fhi_free_sized(void *p, size_t size);
FHI_HIDDEN void fhi_page_look(struct fhi_page *page);

// page->fast, which may be another thread's to change (remote.c). ThreadSanitizer must see the load as atomic; elsewhere a plain
// one folds into the comparison.
static inline const void *fhi_fast_owner(const struct fhi_page *page) {
#ifdef FH_TSAN
  return fhi_page_owner(page);
#else
  return page->fast;
#endif
}

// free(): blocks of both kinds that this thread owns; all else goes to fhi_free_slow. A size that the caller says the block was
// asked for with goes out of line only: the hardened heap looks at it.
static inline void fhi_free_both(void *p, bool sized, size_t size) {
  uintptr_t number = fhi_fast_number(p);
  if (FHI_UNLIKELY(!fhi_fast_in(number, FHI_BASE, FHI_FAST_PAGES))) {
    if (sized)
      fhi_free_sized_slow(p, size);
    else
      fhi_free_slow(p);
    return;
  }
  struct fhi_page *page = fhi_page_numbered(number);
  struct fhi_self *self = fhi_self_fast();
  if (FHI_UNLIKELY(fhi_fast_owner(page) != self->home) && FHI_UNLIKELY(fhi_fast_owner(page) != fhi_thread_pointer())) {
    if (sized)
      fhi_free_sized_slow(p, size);
    else
      fhi_free_elsewhere(p, page, self->shared);
    return;
  }
  if (FHI_UNLIKELY(!fhi_push(page, p)))
    fhi_page_look(page);
}
static inline void fhi_free_any(void *p) { fhi_free_both(p, false, 0); }
static inline void fhi_free_sized_any(void *p, size_t size) { fhi_free_both(p, true, size); }

// fh_tls_free(): what it is nearly always called for, this thread's local blocks. No check but whether they are; what it lets
// through, a block's second free and an address inside one, FREEHOLD_CHECK finds.
static inline void fhi_free_own(void *p, bool sized, size_t size) {
  uintptr_t number = fhi_fast_number(p);
  if (FHI_UNLIKELY(!fhi_fast_in(number, FH_LOCAL_BASE, FHI_FAST_LOCAL_PAGES))) {
    if (sized)
      fhi_free_sized(p, size);
    else
      fhi_free(p);
    return;
  }
  struct fhi_page *page = fhi_page_numbered(number);
  if (FHI_UNLIKELY(page->fast != fhi_thread_pointer())) {
    if (sized)
      fhi_free_sized_slow(p, size);
    else
      fhi_free_slow(p);
    return;
  }
  if (FHI_UNLIKELY(!fhi_push_unchecked(page, p)))
    fhi_page_look(page);
}
static inline void fhi_free_local(void *p) { fhi_free_own(p, false, 0); }
static inline void fhi_free_sized_local(void *p, size_t size) { fhi_free_own(p, true, size); }

// The out-of-line parts; internal names of the allocators of both kinds.
FHI_HIDDEN void *fhi_shared_malloc_slow(size_t size);
FHI_HIDDEN void *fhi_local_malloc_slow(size_t size);

static inline void *fhi_shared_malloc_fast(size_t size) {
  if (FHI_LIKELY(size - 1 < FHI_FAST_SMALL)) {
    struct fhi_heap *heap = fhi_self_fast()->shared;
    void *p = fhi_pop_of(heap, heap->heads, fhi_small_class(size - 1));
    if (FHI_LIKELY(p != NULL))
      return p;
  }
  return fhi_shared_malloc_slow(size);
}

static inline void *fhi_local_malloc_fast(size_t size) {
  if (FHI_LIKELY(size - 1 < FHI_FAST_SMALL)) {
    void *p = fhi_pop(fhi_self_fast()->heads, fhi_small_class(size - 1));
    if (FHI_LIKELY(p != NULL))
      return p;
  }
  return fhi_local_malloc_slow(size);
}

#endif
