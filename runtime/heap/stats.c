// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stats.c - gathers what all heaps hold by a walk over the descriptors, when somebody asks. That costs a look at 64 descriptors
// for each 4 MiB, and nothing anywhere else.
//
// What is exact: each page counts its blocks, but those in heads count as out, since inlined code pops and pushes them without
// telling; the caller's own heads are looked through, and the depot, others' heads cannot be.
#include "stats.h"
#include "hard.h"
#include "threads.h"

// Descriptors are their owner's, who goes on writing them without atomics. ThreadSanitizer is not to see these reads (it would
// see atomic ones): each is one aligned word, any value that was there will do. But words of one descriptor may be of two times,
// and `size` shares its place with a pointer: what comes of them is bounded by the pages they speak of.
#define PEEK(field) (*(volatile __typeof__(field) *)&(field))
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define UNWATCHED __attribute__((no_sanitize("thread")))
#endif
#endif
#ifndef UNWATCHED
#define UNWATCHED
#endif

static uint64_t at_most(uint64_t bytes, uint64_t pages) {
  uint64_t most = pages << FHI_PAGE_SHIFT;
  return bytes < most ? bytes : most;
}

UNWATCHED static void tally_page(struct fhi_tally *tally, struct fhi_page *page) {
  uint64_t out, block = PEEK(page->block);
  switch (PEEK(page->state)) {
  case FHI_PAGE_CLASS:
    out = PEEK(page->full) ? PEEK(page->capacity) : PEEK(page->used) % FHI_CURRENT;
    if (out > PEEK(page->capacity)) // or less than none: a page that becomes another just now
      out = PEEK(page->capacity);
    tally->live_blocks += out;
    tally->live_bytes += at_most(out * block, 1);
    ++tally->pages;
    break;
  case FHI_PAGE_LARGE:
    ++tally->live_blocks;
    tally->live_bytes += at_most(PEEK(page->size), PEEK(page->length));
    ++tally->pages;
    break;
  case FHI_PAGE_PACKED:
    out = PEEK(page->capacity) - (uint64_t)__builtin_popcount(PEEK(page->vacant));
    if (out > PEEK(page->capacity))
      out = PEEK(page->capacity);
    tally->live_blocks += out;
    tally->live_bytes += at_most(out * block, PEEK(page->length));
    ++tally->pages;
    break;
  case FHI_PAGE_REST:
    ++tally->pages;
    break;
  default:
    break;
  }
}

UNWATCHED static void count_if_live(struct fhi_tally *tally, fhi_hard_word *place) {
  uint64_t word = *(volatile uint64_t *)place;
  if (!fhi_word_live(word))
    return;
  ++tally->live_blocks;
  tally->live_bytes += fhi_word_size(word);
}

// A hardened page's blocks have a word each: every one is counted exactly, by the size that was asked for, whoever its owner is.
UNWATCHED static void tally_hard_page(struct fhi_tally *tally, struct fhi_hard_segment *segment, struct fhi_hard_page *page) {
  ++tally->pages;
  if (PEEK(page->layout) == FHI_HARD_RUN)
    count_if_live(tally, &page->word);
  else if (PEEK(page->layout) == FHI_HARD_CLASS)
    for (unsigned i = 0, end = PEEK(page->carved); i < end && i < FHI_HARD_BLOCKS; ++i)
      count_if_live(tally, &segment->words[page->index][i]);
}

// false: the slot is none of the hardened heap's.
UNWATCHED static bool tally_hard(struct fhi_tally *tally, const struct fhi_heap *heap, char *start) {
  struct fhi_hard_segment *segment = atomic_load_explicit(&fhi_hard_segments[fhi_slot_of(start)], memory_order_acquire);
  if (!segment || PEEK(segment->start) != start || PEEK(segment->heap) != heap)
    return false;
  if (PEEK(segment->huge)) {
    uint64_t blocks = tally->live_blocks, bytes = tally->live_bytes;
    count_if_live(tally, &segment->pages[0].word);
    tally->huge_blocks += (uint32_t)(tally->live_blocks - blocks);
    tally->huge_bytes += tally->live_bytes - bytes;
    return true;
  }
  uint64_t idle = PEEK(segment->free_pages);
  ++tally->segments;
  tally->idle_bytes += (uint64_t)__builtin_popcountll(idle & PEEK(segment->touched_pages)) << FHI_PAGE_SHIFT;
  for (unsigned i = 0; i < FHI_PAGES; ++i)
    if ((idle >> i & 1) == 0 && PEEK(segment->pages[i].dead) == 0)
      tally_hard_page(tally, segment, &segment->pages[i]);
  return true;
}

UNWATCHED static void tally_huge(struct fhi_tally *tally, const struct fhi_segment *segment) {
  uint64_t size = PEEK(segment->size);
  ++tally->huge_blocks;
  ++tally->live_blocks;
  tally->live_bytes += size;
  tally->huge_bytes += size;
}

UNWATCHED static void tally_segment(struct fhi_tally *tally, const struct fhi_segment *segment) {
  ++tally->segments;
  tally->idle_bytes += (uint64_t)__builtin_popcountll(PEEK(segment->free_pages) & PEEK(segment->touched_pages)) << FHI_PAGE_SHIFT;
  for (unsigned i = 0; i < FHI_PAGES; ++i)
    tally_page(tally, &fhi_pages(segment)[i]);
}

UNWATCHED static void tally_slot(const struct fhi_segment *segment, bool huge) {
  struct fhi_heap *heap = PEEK(segment->heap);
  if (!heap)
    return; // just being made
  struct fhi_tally *tally = &heap->tally;
  uint64_t bytes = tally->live_bytes, huge_bytes = tally->huge_bytes;
  tally->mapped_bytes += PEEK(segment->mapped);
  if (!tally_hard(tally, heap, fhi_segment_start(segment)))
    (huge ? tally_huge : tally_segment)(tally, segment);
  if (tally->huge_bytes == huge_bytes)
    tally->live_bytes = bytes + at_most(tally->live_bytes - bytes, FHI_PAGES);
}

static void tally_slots(void) {
  for (size_t slot = 0; slot < FHI_SLOT_COUNT; ++slot) {
    // Eight at a time: nearly all are nobody's.
    if (slot % 8 == 0 && *(const uint64_t *)(const void *)&fhi_slots[slot] == 0) {
      slot += 7;
      continue;
    }
    unsigned state = atomic_load_explicit(&fhi_slots[slot], memory_order_relaxed);
    if (state == FHI_SLOT_SEGMENT || state == FHI_SLOT_HUGE)
      tally_slot(fhi_segment_of((const char *)FHI_BASE + (slot << FHI_SLOT_SHIFT)), state == FHI_SLOT_HUGE);
  }
}

static void take_off(struct fhi_tally *tally, uint64_t block) {
  tally->live_blocks -= tally->live_blocks != 0;
  tally->live_bytes -= block < tally->live_bytes ? block : tally->live_bytes;
}

// Free blocks of shared heaps, of whichever.
static void take_off_list(void *list) {
  for (void *p = list; p; p = *(void **)p) {
    const struct fhi_page *page = fhi_page_of(p);
    struct fhi_heap *owner = fhi_page_owner(page);
    if (owner)
      take_off(&owner->tally, page->block);
  }
}

// Blocks in the calling thread's own heads are free.
static void take_off_heads(struct fhi_heap *heap) {
  if (heap == &fhi_no_heap || !heap->live_heads)
    return;
  fhi_zero_take(heap);
  for (unsigned class = 0; class < FH_CLASS_COUNT; ++class) {
    if (heap->kind == FHI_SHARED)
      take_off_list(heap->live_heads[class]);
    else
      for (void *p = heap->live_heads[class]; p; p = *(void **)p)
        take_off(&heap->tally, fh_class_size(class));
  }
}

void fhi_stats_gather(void) {
  fhi_threads_reap();
  fhi_orphans_flush_heads();
  for (struct fhi_heap *heap = fhi_heaps_made(); heap; heap = heap->next_made)
    heap->tally = (struct fhi_tally){0};
  for (struct fhi_thread *thread = fhi_threads_all(); thread; thread = thread->next_all) {
    struct fhi_heap *local = fhi_heap_of(&thread->local), *shared = fhi_heap_of(&thread->shared);
    for (struct fhi_heap *level = thread->alive ? local : NULL; level; level = level->above)
      level->tally.owned = true;
    if (thread->alive && shared)
      shared->tally.owned = true;
  }
  tally_slots();
  for (struct fhi_heap *level = fhi_self()->local; level; level = level->below)
    take_off_heads(level);
  take_off_heads(fhi_self()->shared);
  fhi_depot_each(take_off_list);
}
