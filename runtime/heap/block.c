// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// block.c - what an address is, and every free that is not a fast one: large and huge blocks, blocks of other threads, foreign
// ones.
#include "fast.h"
#include "hardened.h"
#include "large.h"
#include "threads.h"

static bool block_in_segment(const void *p, struct fhi_block *block) {
  struct fhi_segment *segment = fhi_segment_of(p);
  struct fhi_page *page = fhi_page_of(p);
  block->segment = segment;
  if (page->state == FHI_PAGE_REST)
    page = &fhi_pages(segment)[page->first];
  block->page = page;
  block->start = fhi_page_start(page);
  switch (page->state) {
  case FHI_PAGE_CLASS: {
    size_t offset = (size_t)((const char *)p - block->start);
    block->size = page->block;
    block->start += offset - offset % page->block;
    return offset / page->block < __atomic_load_n(&page->carved, __ATOMIC_RELAXED);
  }
  case FHI_PAGE_LARGE:
    block->size = page->size;
    return true;
  case FHI_PAGE_PACKED: {
    size_t index = (size_t)((const char *)p - block->start) / page->block;
    block->size = page->block;
    block->start += index * page->block;
    return index < page->capacity && (fhi_packed_vacant(page) >> index & 1) == 0;
  }
  case FHI_PAGE_DEAD:
    block->size = 0;
    block->dead = page->used;
    block->start = (char *)(uintptr_t)p;
    return true;
  default:
    return false;
  }
}

bool fhi_block_at(const void *p, struct fhi_block *block) {
  bool found;
  *block = (struct fhi_block){0};
  if (fhi_hardened() && fhi_hardened_block_at(p, block, &found))
    return found;
  if (fhi_in_segment(p))
    return block_in_segment(p, block);
  struct fhi_segment *segment = fhi_huge_of(p);
  if (!segment)
    return false;
  block->segment = segment;
  block->start = segment->block;
  block->size = segment->size;
  return (const char *)p >= block->start && (const char *)p < block->start + block->size;
}

bool fhi_is_foreign(const void *p) {
  if (!fhi_in_range(p))
    return true;
  // In our ranges, but no slot of ours: with another malloc in front it may be that of another copy of this runtime.
  struct fhi_block block;
  return !fhi_in_segment(p) && !fhi_block_at(p, &block) && !fhi_slot_retired(p) && fhi_front() == FHI_FRONT_OTHER;
}

size_t fhi_usable_size(const void *p) {
  struct fhi_block block;
  size_t size;
  if (!p)
    return 0;
  if (fhi_hardened() && fhi_hardened_usable_size(p, &size))
    return size;
  if (fhi_is_foreign(p))
    return fhi_foreign_usable_size(p);
  if (!fhi_block_at(p, &block) || block.start != p)
    fhi_stop_invalid(p, "malloc_usable_size");
  return block.size;
}

static void free_in_segment(void *p) {
  struct fhi_block block;
  if (fhi_hardened() && fhi_hardened_free(p, false, 0))
    return;
  bool known = fhi_block_at(p, &block);
  struct fhi_heap *heap = fhi_segment_owner(block.segment);
  bool mine = fhi_is_mine(heap);
  if (block.dead != 0 || (!mine && block.segment->kind == FHI_LOCAL))
    fhi_stop_wrong_thread(p, &block);
  if (!known && block.page)
    fhi_stop_double_free(p);
  if (!known || block.start != p)
    fhi_stop_invalid(p, "free");
  if (!mine)
    fhi_remote_free(heap, p);
  else if (block.page->state != FHI_PAGE_CLASS)
    fhi_large_free(heap, block.page, p);
  else if (!fhi_push(block.page, p))
    fhi_page_look(block.page);
}

FHI_NOINLINE void fhi_free_slow(void *p) {
  if (!p)
    return;
  if (fhi_in_segment(p)) {
    free_in_segment(p);
    return;
  }
  if (fhi_hardened() && fhi_hardened_free(p, false, 0))
    return;
  struct fhi_block block;
  if (fhi_block_at(p, &block)) {
    if (block.segment->kind == FHI_LOCAL && !fhi_is_mine(block.segment->heap))
      fhi_stop_wrong_thread(p, &block);
    if (block.start != p)
      fhi_stop_invalid(p, "free");
    fhi_huge_free(block.segment);
  } else if (fhi_slot_retired(p)) {
    fhi_stop_wrong_thread(p, &block);
  } else if (fhi_is_foreign(p)) {
    fhi_foreign_free(p);
  } else {
    fhi_stop_double_free(p);
  }
}

FHI_NOINLINE void fhi_free_sized_slow(void *p, size_t size) {
  if (p && !(fhi_hardened() && fhi_hardened_free(p, true, size)))
    fhi_free(p);
}
