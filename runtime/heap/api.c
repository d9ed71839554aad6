// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// api.c - the malloc family for both kinds, in terms of pages and runs. A local request is answered by the local heap, else by
// the process's other allocator if one stands in front of us, else by the shared heap.
#include "api.h"
#include "hardened.h"
#include "large.h"
#include "threads.h"

#include <errno.h>
#include <string.h>

static void *or_enomem(void *p) {
  if (FHI_UNLIKELY(!p))
    errno = ENOMEM;
  return p;
}

// A block for a local function that its size does not tell: another allocator's, or a run of pages for a size that has a class.
// (Of shared blocks the address tells.)
static void *untold(void *p) {
  if (p)
    fhi_push_never();
  return p;
}

static void *heap_malloc(struct fhi_heap *heap, size_t size) {
  bool zero;
  if (!heap)
    return NULL;
  if (size > FH_CLASSED_MAX || (fhi_packs_small(size) && FHI_UNLIKELY(fhi_is_scarce()) && heap->kind == FHI_SHARED))
    return fhi_large_malloc(heap, size, 1, &zero);
  unsigned class = fh_class_of(size);
  void *p = heap->late ? NULL : fhi_pop_of(heap, heap->live_heads, class);
  if (FHI_UNLIKELY(p == NULL)) // a late heap has no current page
    p = fhi_pop_again(heap, heap->live_heads, class);
  if (FHI_LIKELY(p != NULL))
    return p;
  return fhi_hardened() ? fhi_hardened_malloc(heap, size, 1, &zero) : fhi_page_malloc(heap, class);
}

// With a call in it each of these would save registers before it looks.
static FHI_NOINLINE void *shared_malloc(size_t size) { return or_enomem(heap_malloc(fhi_shared_heap(), size)); }

FHI_NOINLINE void *fhi_shared_malloc_slow(size_t size) {
  struct fhi_heap *heap = fhi_self()->shared;
  if (FHI_LIKELY(size - 1 < FH_SMALL_MAX)) {
    void *p = fhi_pop_again(heap, heap->heads, fhi_small_class(size - 1));
    if (FHI_LIKELY(p != NULL))
      return p;
  }
  return shared_malloc(size);
}

static FHI_NOINLINE void *local_malloc(size_t size) {
  struct fhi_heap *heap = fhi_local_heap();
  if (FHI_LIKELY(heap != NULL)) {
    void *p = heap_malloc(heap, size);
    if (FHI_LIKELY(p != NULL) || heap->below) // no reset would free a shared block in its place
      return or_enomem(p);
  } else if (fhi_front() != FHI_FRONT_OURS) {
    return untold(fhi_other_malloc(size));
  }
  return fhi_shared_malloc_fast(size);
}

FHI_NOINLINE void *fhi_local_malloc_slow(size_t size) {
  struct fhi_self *self = fhi_self();
  if (FHI_LIKELY(size - 1 < FH_SMALL_MAX)) {
    void *p = fhi_pop_again(self->local, self->heads, fhi_small_class(size - 1));
    if (FHI_LIKELY(p != NULL))
      return p;
  }
  return local_malloc(size);
}

void *fhi_shared_malloc(size_t size) { return fhi_shared_malloc_fast(size); }

void *fhi_local_malloc(size_t size) { return fhi_local_malloc_fast(size); }

// Zeroed: a fresh run of pages or a fresh mapping is zero already. Of one that was kept perhaps little was ever written: a large
// table that is used here and there must not cost the memory of all of it the second time.
static void *zeroed(struct fhi_heap *heap, size_t size) {
  bool zero;
  char *p = heap ? fhi_large_malloc(heap, size, 1, &zero) : NULL;
  if (!p || zero)
    return p;
  size_t whole = size > FHI_LARGE_MAX ? size & ~(FHI_PAGE_SIZE - 1) : 0;
  fhi_os_clear(p, whole);
  memset(p + whole, 0, size - whole);
  return p;
}

void *fhi_shared_calloc(size_t count, size_t size) {
  size_t total = fhi_product(count, size);
  if (total > FH_CLASSED_MAX)
    return or_enomem(zeroed(fhi_shared_heap(), total));
  void *p = fhi_shared_malloc_fast(total);
  return p ? memset(p, 0, total) : NULL;
}

void *fhi_local_calloc(size_t count, size_t size) {
  size_t total = fhi_product(count, size);
  if (total > FH_CLASSED_MAX) {
    struct fhi_heap *heap = fhi_local_heap();
    if (!heap && fhi_front() != FHI_FRONT_OURS)
      return untold(fhi_other_calloc(count, size));
    void *p = heap ? zeroed(heap, total) : NULL;
    return or_enomem(p || (heap && heap->below) ? p : zeroed(fhi_shared_heap(), total));
  }
  void *p = fhi_local_malloc_fast(total);
  return p ? memset(p, 0, total) : NULL;
}

// The request that gives an aligned block by itself: pages begin at multiples of 64 KiB, so a class whose size is a multiple of
// the alignment has aligned blocks only. 0: a run of pages is needed.
static size_t aligned_request(size_t alignment, size_t size) {
  if (size > FH_CLASSED_MAX || alignment > FH_CLASSED_MAX)
    return 0;
  for (unsigned class = fh_class_of(size); class < FH_CLASS_COUNT; ++class)
    if ((fh_class_size(class) & (alignment - 1)) == 0)
      return fh_class_size(class);
  return 0;
}

void *fhi_shared_aligned(size_t alignment, size_t size) {
  // The hardened heap is told the size that was asked for.
  size_t request = fhi_hardened() ? 0 : aligned_request(alignment, size);
  bool zero;
  if (request != 0)
    return fhi_shared_malloc_fast(request);
  struct fhi_heap *heap = fhi_shared_heap();
  return or_enomem(heap ? fhi_large_malloc(heap, size, alignment, &zero) : NULL);
}

// A head may hold larger blocks than its class's, freed by the size that a realloc left them with: they are aligned otherwise.
static void *aligned_by_class(size_t alignment, size_t request) {
  for (;;) {
    void *p = fhi_local_malloc_fast(request);
    if (FHI_LIKELY(((uintptr_t)p & (alignment - 1)) == 0))
      return p;
    fhi_free_any(p); // to its own page's list
  }
}

void *fhi_local_aligned(size_t alignment, size_t size) {
  size_t request = fhi_hardened() ? 0 : aligned_request(alignment, size);
  struct fhi_heap *heap = fhi_local_heap();
  bool zero;
  if (!heap && fhi_front() != FHI_FRONT_OURS)
    return untold(fhi_other_aligned(alignment, size));
  if (request != 0)
    return aligned_by_class(alignment, request);
  void *p = heap ? fhi_large_malloc(heap, size, alignment, &zero) : NULL;
  if (!p)
    return heap && heap->below ? or_enomem(NULL) : fhi_shared_aligned(alignment, size);
  return size <= FH_CLASSED_MAX ? untold(p) : p;
}

void fhi_free(void *p) { fhi_free_any(p); }

void fhi_free_sized(void *p, size_t size) { fhi_free_sized_any(p, size); }

static void *move_block(const struct fhi_block *block, size_t size) {
  struct fhi_segment *segment = block->segment;
  if (!block->page) {
    struct fhi_heap *heap = segment->kind == FHI_LOCAL ? fhi_self()->local : fhi_shared_heap();
    void *moved = heap ? fhi_huge_realloc(heap, segment, size) : NULL;
    if (moved)
      return moved;
  }
  void *copy = segment->kind == FHI_LOCAL ? fhi_local_malloc_fast(size) : fhi_shared_malloc_fast(size);
  if (!copy)
    return NULL;
  memcpy(copy, block->start, block->size < size ? block->size : size);
  fhi_free_any(block->start);
  return copy;
}

void *fhi_realloc(enum fhi_kind kind, void *p, size_t size) {
  if (!p)
    return kind == FHI_LOCAL ? fhi_local_malloc_fast(size) : fhi_shared_malloc_fast(size);
  void *result;
  if (fhi_hardened() && fhi_hardened_realloc(p, size, &result))
    return size == 0 ? NULL : or_enomem(result);
  if (fhi_is_foreign(p))
    return fhi_foreign_realloc(p, size);
  struct fhi_block block;
  bool known = fhi_block_at(p, &block);
  if (fhi_slot_retired(p) || block.dead != 0 ||
      (block.segment && block.segment->kind == FHI_LOCAL && !fhi_is_mine(block.segment->heap)))
    fhi_stop_wrong_thread(p, &block);
  if (!known || block.start != p)
    fhi_stop_invalid(p, "realloc");
  if (size == 0) {
    fhi_free_any(p);
    return NULL;
  }
  // In place while it fits and not much more than half of it would lie idle; but a size that has a class does not stay in a run
  // of pages, which an inlined free by that size would push, and a block older than a mark becomes a younger one.
  bool run = size <= FH_CLASSED_MAX && block.size > FH_CLASSED_MAX;
  bool older = fhi_is_older(fhi_segment_owner(block.segment));
  if (size <= block.size && (size >= block.size / 2 || block.size <= 64) && !run && !older)
    return p;
  struct fhi_heap *owner = fhi_segment_owner(block.segment);
  if (size > FH_CLASSED_MAX && block.page && block.page->state == FHI_PAGE_LARGE &&
      (owner == fhi_self()->shared || owner == fhi_self()->local) && fhi_large_resize(owner, block.page, size))
    return p;
  int saved = errno;
  void *moved = move_block(&block, size);
  if (moved || size > block.size || older)
    return moved;
  errno = saved;
  return run ? untold(p) : p; // a shrink never fails
}
