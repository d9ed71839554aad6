// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hard_back.c - how freed blocks of the hardened heap come back: by other threads, through the quarantine, to their page.
#include "hard.h"

#include <string.h>

enum {
  KeepRetained = 64,
  PoisonCheck = 32 // bytes of a freed block that `check` looks at; `guard` looks at all
};

static size_t poison_length(const struct fhi_hard_block *block) {
  return fhi_guard() ? (size_t)(block->end - block->start) : PoisonCheck;
}

void fhi_hard_poison(const struct fhi_hard_block *block) {
  if (fhi_guard())
    fhi_poison_write(block->start, poison_length(block));
  else
    memset(block->start, FHI_POISON, PoisonCheck);
}

void fhi_hard_look_at_poison(const struct fhi_hard_block *block, uint64_t word) {
  size_t at = fhi_poison_check(block->start, poison_length(block));
  if (FHI_UNLIKELY(at != SIZE_MAX))
    fhi_stop_written(block, word, at);
}

static void give_back(struct fhi_heap *heap, const struct fhi_hard_block *block) {
  struct fhi_hard *hard = heap->hard;
  struct fhi_hard_page *page = block->page;
  struct fhi_hard_segment *segment = block->segment;
  if (!block->small) {
    char *begin = fhi_hard_page_start(segment, page);
    bool open = !fhi_guard() || segment->huge || fhi_guard_open(begin, begin + fhi_hard_run_size(segment, page));
    fhi_hard_run_free(heap, segment, page, open);
    return;
  }
  bool full = page->free_count == 0 && page->carved == page->capacity;
  segment->order[page->index][(page->oldest + page->free_count++) % FHI_HARD_BLOCKS] = (uint16_t)block->index;
  if (full)
    fhi_hard_room_add(hard, page);
  // Some stay as they are: formatting a page costs more than all else here.
  if (--page->out == 0 && hard->retained++ >= KeepRetained)
    fhi_hard_page_retire(heap, segment, page);
}

static void quarantine_pop(struct fhi_heap *heap) {
  struct fhi_hard *hard = heap->hard;
  struct fhi_hard_block block;
  void *p = hard->quarantine[hard->quarantine_first];
  hard->quarantine_first = (hard->quarantine_first + 1) % FHI_HARD_QUARANTINE;
  --hard->quarantine_count;
  fhi_hard_find(p, &block);
  if (block.small) {
    hard->quarantine_small -= block.page->block;
    fhi_hard_look_at_poison(&block, atomic_load_explicit(block.word, memory_order_relaxed));
  } else {
    hard->quarantine_large -= fhi_hard_run_size(block.segment, block.page);
  }
  give_back(heap, &block);
}

void fhi_hard_quarantine_empty(struct fhi_heap *heap) {
  while (heap->hard->quarantine_count != 0)
    quarantine_pop(heap);
}

void fhi_hard_retire(struct fhi_heap *heap, const struct fhi_hard_block *block) {
  struct fhi_hard *hard = heap->hard;
  if (!fhi_guard() || block->segment->huge) {
    give_back(heap, block);
    return;
  }
  hard->quarantine[(hard->quarantine_first + hard->quarantine_count++) % FHI_HARD_QUARANTINE] = block->start;
  if (block->small)
    hard->quarantine_small += block->page->block;
  else
    hard->quarantine_large += fhi_hard_run_size(block->segment, block->page);
  while (hard->quarantine_count == FHI_HARD_QUARANTINE || hard->quarantine_small > FHI_HARD_QUARANTINE_SMALL ||
         hard->quarantine_large > FHI_HARD_QUARANTINE_LARGE)
    quarantine_pop(heap);
}

// Release, paired with the acquire in fhi_hard_drain: the block's content and link are written before the owner reads them. What
// is pushed for an orphan waits for the thread that adopts it, or for a trim: small blocks that were live when its thread ended,
// at most; of large ones the memory is gone already.
void fhi_hard_push(struct fhi_hard *hard, const struct fhi_hard_block *block) {
  void *first = atomic_load_explicit(&hard->remote, memory_order_relaxed);
  do {
    *block->link = first;
  } while (
      !atomic_compare_exchange_weak_explicit(&hard->remote, &first, block->start, memory_order_release, memory_order_relaxed));
}

void fhi_hard_drain(struct fhi_heap *heap) {
  void *p = atomic_exchange_explicit(&heap->hard->remote, NULL, memory_order_acquire);
  while (p) {
    struct fhi_hard_block block;
    fhi_hard_find(p, &block);
    p = *block.link;
    fhi_count(&heap->counters.remote_received, 1);
    fhi_hard_retire(heap, &block);
  }
}
