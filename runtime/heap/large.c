// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// large.c - blocks beyond the size classes: runs of pages, and huge blocks with a mapping of their own.
#include "large.h"
#include "cache.h"
#include "hardened.h"

enum {
  HugePage = 2 << 20,
  RoundPart = 8,
  ScarceRun = 8 // pages; where address space is scarce, a longer run that needs a new segment has a mapping of its own
};
#define HUGE_MAX ((FHI_SLOTS_A_KIND - 1) * FHI_SLOT_SIZE) // without a range's first slot (slots.c)

static size_t round_up(size_t value, size_t step) { return (value + step - 1) & ~(step - 1); }

// Up to the end of a huge page, if that is not much: the last part of a mapping would be in small pages, which cost as much as
// four times as many bytes in huge ones.
static size_t huge_length(size_t size) {
  size_t length = round_up(size, FHI_PAGE_SIZE), whole = round_up(length, HugePage);
  return whole - length <= length / RoundPart && !fhi_is_scarce() ? whole : length;
}

// content: so many bytes at the beginning will be moved there.
static void *huge_malloc(struct fhi_heap *heap, size_t size, size_t alignment, size_t content, bool *zero) {
  // A slot's beginning is aligned to 4 MiB; more than that may push the block further on.
  size_t length = huge_length(size + (alignment > FHI_SLOT_SIZE ? alignment : size == 0));
  if (length > HUGE_MAX)
    return NULL; // nothing that could be given up would help
  struct fhi_segment *segment = fhi_slots_map_huge(heap, length, content);
  if (!segment && fhi_idle_give_up())
    segment = fhi_slots_map_huge(heap, length, content);
  if (!segment)
    return NULL;
  char *start = fhi_segment_start(segment);
  if (!segment->thp) {
    fhi_os_huge_pages(start, segment->mapped);
    segment->thp = 1;
  }
  *zero = segment->touched_pages == 0;
  segment->block = (char *)round_up((uintptr_t)start, alignment);
  segment->size = (size_t)(start + segment->mapped - segment->block);
  if (heap->kind == FHI_LOCAL) {
    segment->next = heap->huge;
    if (heap->huge)
      heap->huge->previous = segment;
    heap->huge = segment;
  }
  return segment->block;
}

void fhi_run_set(struct fhi_page *first, unsigned length, unsigned state) {
  unsigned index = fhi_descriptor_index(first);
  for (unsigned i = 0; i < length; ++i) {
    first[i].fast = NULL;
    first[i].state = (uint8_t)(i == 0 ? state : FHI_PAGE_REST);
    first[i].first = (uint8_t)index;
    first[i].length = (uint8_t)length;
  }
}

static void set_large(struct fhi_page *first, unsigned length) {
  fhi_run_set(first, length, FHI_PAGE_LARGE);
  first->size = (size_t)length << FHI_PAGE_SHIFT;
}

void fhi_run_free(struct fhi_heap *heap, struct fhi_page *first) {
  unsigned length = first->length;
  for (unsigned i = 0; i < length; ++i)
    first[i].state = FHI_PAGE_FRESH;
  fhi_run_give(heap, first, length);
}

void *fhi_large_malloc(struct fhi_heap *heap, size_t size, size_t alignment, bool *zero) {
  if (fhi_hardened())
    return fhi_hardened_malloc(heap, size, alignment, zero);
  *zero = true;
  fhi_idle_look(heap);
  if (size > FHI_SIZE_MAX || alignment > FHI_SIZE_MAX / 4 || size + alignment > FHI_SIZE_MAX)
    return NULL;
  if (heap->kind == FHI_SHARED && fhi_remote_waits(heap))
    fhi_remote_drain(heap, size < FHI_LARGE_MAX ? 4 * size + FHI_PORTION : 4 * FHI_LARGE_MAX);
  if (size > FHI_LARGE_MAX || alignment > FHI_LARGE_MAX / 2)
    return huge_malloc(heap, size, alignment, 0, zero);
  unsigned length = size == 0 ? 1 : (unsigned)((size + FHI_PAGE_SIZE - 1) >> FHI_PAGE_SHIFT);
  unsigned step = alignment > FHI_PAGE_SIZE ? (unsigned)(alignment >> FHI_PAGE_SHIFT) : 1;
  if (FHI_UNLIKELY(fhi_is_scarce())) {
    void *p = alignment <= FHI_PACKED_ALIGNMENT ? fhi_packed_malloc(heap, size, zero) : NULL;
    if (!p && length > ScarceRun && !fhi_run_find(heap, length, step, false))
      p = huge_malloc(heap, size, alignment, 0, zero);
    if (p)
      return p;
  }
  struct fhi_page *first = fhi_run_take(heap, length, step, false, zero);
  if (!first)
    return NULL;
  set_large(first, length);
  return fhi_page_start(first);
}

void fhi_large_free(struct fhi_heap *heap, struct fhi_page *page, const void *p) {
  if (page->state == FHI_PAGE_PACKED)
    fhi_packed_free(heap, page, p);
  else
    fhi_run_free(heap, page);
}

bool fhi_large_resize(struct fhi_heap *heap, struct fhi_page *page, size_t size) {
  unsigned index = fhi_descriptor_index(page), old = page->length;
  if (size > FHI_LARGE_MAX)
    return false;
  unsigned length = (unsigned)((size + FHI_PAGE_SIZE - 1) >> FHI_PAGE_SHIFT);
  if (length > old) {
    bool zero;
    if (index + length > FHI_PAGES)
      return false;
    uint64_t more = (((uint64_t)1 << (length - old)) - 1) << (index + old);
    if ((fhi_segment_of_page(page)->free_pages & more) != more)
      return false;
    fhi_run_take_at(heap, page + old, length - old, &zero);
  }
  for (unsigned i = length; i < old; ++i)
    page[i].state = FHI_PAGE_FRESH;
  set_large(page, length);
  if (length < old)
    fhi_run_give(heap, page + length, old - length);
  return true;
}

static void huge_unlink(struct fhi_segment *segment) {
  struct fhi_heap *heap = segment->heap;
  if (segment->kind != FHI_LOCAL)
    return;
  if (segment->next)
    segment->next->previous = segment->previous;
  if (segment->previous)
    segment->previous->next = segment->next;
  else
    heap->huge = segment->next;
}

void fhi_huge_free(struct fhi_segment *segment) {
  huge_unlink(segment);
  struct fhi_self *self = fhi_self();
  struct fhi_heap *mine = segment->kind == FHI_LOCAL ? self->local : self->shared;
  if (mine != &fhi_no_heap)
    mine->idle.gave_at = fhi_os_milliseconds();
  fhi_slots_unmap(segment, false);
}

// Unmaps it, what is unmapped already as well: that does no harm, the slots are still ours.
static void huge_drop(struct fhi_segment *segment) {
  huge_unlink(segment);
  fhi_lock();
  fhi_slots_release(segment);
  fhi_unlock();
}

void *fhi_huge_realloc(struct fhi_heap *heap, struct fhi_segment *segment, size_t size) {
  if (size <= FHI_LARGE_MAX || size > FHI_SIZE_MAX - FHI_SLOT_SIZE)
    return NULL;
  bool zero;
  size_t content = segment->size < size ? segment->size : size;
  char *to = huge_malloc(heap, size, 1, content, &zero);
  if (!to)
    return NULL;
  struct fhi_segment *target = fhi_segment_of(to);
  if (!fhi_os_move(segment->block, to, segment->size < target->size ? segment->size : target->size)) {
    huge_drop(target); // there may be a hole in it
    return NULL;
  }
  huge_drop(segment);
  return to;
}
