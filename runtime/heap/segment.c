// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// segment.c - a heap's segments and the runs of pages in them. All of it belongs to one heap, so none of it is locked; only a new
// segment and a segment given back go through the global lock.
#include "threads.h"

#include <string.h>

enum {
  // How many open segments a search for a run looks at before it takes a new one.
  SearchLimit = 32,
  AllFree = -1,
  DensePart = 2, // a heap is dense whose pages are filled to this part
};

static void open_add(struct fhi_heap *heap, struct fhi_segment *segment) {
  segment->open = true;
  segment->open_previous = NULL;
  segment->open_next = heap->open;
  if (heap->open)
    heap->open->open_previous = segment;
  heap->open = segment;
}

static void open_remove(struct fhi_heap *heap, struct fhi_segment *segment) {
  if (heap->idle.next == segment)
    heap->idle.next = segment->open_next;
  segment->open = false;
  if (segment->open_next)
    segment->open_next->open_previous = segment->open_previous;
  if (segment->open_previous)
    segment->open_previous->open_next = segment->open_next;
  else
    heap->open = segment->open_next;
}

static void segment_link(struct fhi_heap *heap, struct fhi_segment *segment) {
  segment->previous = NULL;
  segment->next = heap->segments;
  if (heap->segments)
    heap->segments->previous = segment;
  heap->segments = segment;
  ++heap->segment_count;
}

static void segment_unlink(struct fhi_heap *heap, struct fhi_segment *segment) {
  if (segment->open)
    open_remove(heap, segment);
  if (segment->next)
    segment->next->previous = segment->previous;
  if (segment->previous)
    segment->previous->next = segment->next;
  else
    heap->segments = segment->next;
  --heap->segment_count;
}

// Halves: see fhi_segment.thp.
static void ask_for_huge_pages(struct fhi_segment *segment, unsigned halves) {
  const size_t half = FHI_SLOT_SIZE / 2;
  char *start = fhi_segment_start(segment);
  halves &= ~(unsigned)segment->thp;
  if (halves != 0)
    fhi_os_huge_pages(start + (halves & 1 ? 0 : half), halves == 3 ? 2 * half : half);
  segment->thp |= (uint8_t)halves;
}

// Is so much of the first `count` pages filled that the heap will fill more of them? Few blocks in each of many classes would
// make huge pages a waste. A page that is current, or was, counts as far as it was ever filled.
static bool is_dense(const struct fhi_segment *segment, unsigned count) {
  const struct fhi_page *pages = fhi_pages(segment);
  size_t filled = 0;
  for (unsigned i = 0; i < count; ++i)
    if (pages[i].state == FHI_PAGE_LARGE || pages[i].state == FHI_PAGE_PACKED)
      filled += (size_t)pages[i].length << FHI_PAGE_SHIFT;
    else if (pages[i].state == FHI_PAGE_CLASS)
      filled += (size_t)pages[i].carved * pages[i].block;
  return filled >= ((size_t)count << FHI_PAGE_SHIFT) / DensePart;
}

static struct fhi_segment *segment_new(struct fhi_heap *heap, bool burst) {
  fhi_idle_grows(heap);
  // A heap's first segment is without huge pages until more than half of it is used: a small program stays small.
  bool thp = burst || (heap->segments && is_dense(heap->segments, FHI_PAGES));
  struct fhi_segment *segment = fhi_slots_map_segment(heap, thp);
  if (!segment && fhi_idle_give_up())
    segment = fhi_slots_map_segment(heap, thp);
  if (!segment)
    return NULL;
  segment->free_pages = (uint64_t)(int64_t)AllFree;
  if (thp && (burst || segment->touched_pages == 0))
    ask_for_huge_pages(segment, 3);
  segment_link(heap, segment);
  ++heap->empty_count;
  open_add(heap, segment);
  fhi_idle_moved(heap, segment, true);
  return segment;
}

void fhi_pool_remove(struct fhi_heap *heap, struct fhi_page *page) {
  if (page->next)
    page->next->previous = page->previous;
  if (page->previous)
    page->previous->next = page->next;
  else
    heap->pool = page->next;
}

static void segment_delete(struct fhi_heap *heap, struct fhi_segment *segment) {
  struct fhi_page *pages = fhi_pages(segment);
  for (unsigned i = 0; i < FHI_PAGES; ++i)
    if (pages[i].state == FHI_PAGE_POOLED)
      fhi_pool_remove(heap, &pages[i]);
  fhi_idle_moved(heap, segment, false);
  segment_unlink(heap, segment);
  // Of a dead thread's live blocks only the addresses are left: they are not used again.
  fhi_slots_unmap(segment, segment->dead_pages != 0);
}

static bool is_empty(const struct fhi_segment *segment) {
  return __builtin_popcountll(segment->free_pages) + segment->dead_pages == FHI_PAGES;
}

// Of an empty one.
static void let_go(struct fhi_heap *heap, struct fhi_segment *segment) {
  --heap->empty_count;
  fhi_idle_gives(heap, (unsigned)__builtin_popcountll(segment->touched_pages));
  segment_delete(heap, segment);
}

void fhi_segments_release(struct fhi_heap *heap, unsigned keep) {
  struct fhi_segment *next;
  for (struct fhi_segment *segment = heap->segments; segment && heap->empty_count > keep; segment = next) {
    next = segment->next;
    if (is_empty(segment))
      let_go(heap, segment);
  }
}

static uint64_t run_mask(unsigned index, unsigned length) { return ((((uint64_t)1 << (length - 1)) << 1) - 1) << index; }

// Index of the first of `length` free pages in a row, aligned to `alignment` pages; FHI_PAGES if there are none.
static unsigned find_pages(uint64_t free_pages, unsigned length, unsigned alignment) {
  uint64_t starts = free_pages;
  for (unsigned have = 1; have < length;) {
    unsigned step = have < length - have ? have : length - have;
    starts &= starts >> step;
    have += step;
  }
  for (; starts != 0; starts &= starts - 1) {
    unsigned index = (unsigned)__builtin_ctzll(starts);
    if ((index & (alignment - 1)) == 0)
      return index;
  }
  return FHI_PAGES;
}

// Pages that have memory behind them, or will get it by huge pages.
static uint64_t cheap_pages(const struct fhi_segment *segment) {
  uint64_t half = UINT32_MAX;
  return segment->touched_pages | (segment->thp & 1 ? half : 0) | (segment->thp & 2 ? half << FHI_PAGES / 2 : 0);
}

struct fhi_page *fhi_run_find(const struct fhi_heap *heap, unsigned length, unsigned alignment, bool burst) {
  struct fhi_segment *segment = heap->open;
  for (unsigned looked = 0; segment && looked < SearchLimit; segment = segment->open_next, ++looked) {
    uint64_t pages = burst ? segment->free_pages & cheap_pages(segment) : segment->free_pages;
    unsigned index = find_pages(pages, length, alignment);
    if (index != FHI_PAGES)
      return &fhi_pages(segment)[index];
  }
  return NULL;
}

void fhi_segment_move(struct fhi_heap *from, struct fhi_heap *to, struct fhi_segment *segment) {
  bool open = segment->open;
  for (unsigned i = 0; i < FHI_PAGES; ++i)
    fhi_page_move(from, to, &fhi_pages(segment)[i]);
  fhi_idle_moved(from, segment, false);
  segment_unlink(from, segment);
  fhi_idle_moved(to, segment, true);
  segment_link(to, segment);
  if (open)
    open_add(to, segment);
  if (is_empty(segment)) {
    --from->empty_count;
    ++to->empty_count;
  }
  uint32_t used = FHI_PAGES - (uint32_t)__builtin_popcountll(segment->free_pages) - segment->dead_pages;
  fhi_count_pages(from, -used);
  fhi_count_pages(to, used);
  // Relaxed: pairs with fhi_segment_owner.
  __atomic_store_n(&segment->heap, to, __ATOMIC_RELAXED);
}

struct fhi_page *fhi_run_take_at(struct fhi_heap *heap, struct fhi_page *first, unsigned length, bool *zero) {
  struct fhi_segment *segment = fhi_segment_of_page(first);
  unsigned index = fhi_descriptor_index(first);
  uint64_t mask = run_mask(index, length);
  if (is_empty(segment))
    --heap->empty_count;
  *zero = (segment->touched_pages & mask) == 0;
  unsigned fresh = (unsigned)__builtin_popcountll(mask & ~segment->touched_pages);
  const unsigned half = FHI_PAGES / 2;
  if ((segment->thp & 2) == 0 && mask >> half != 0 && segment->touched_pages >> half == 0 && is_dense(segment, half))
    ask_for_huge_pages(segment, 2);
  segment->free_pages &= ~mask;
  segment->touched_pages |= mask;
  fhi_count_pages(heap, length);
  for (unsigned i = 0; i < length; ++i) {
    if (first[i].state == FHI_PAGE_POOLED)
      fhi_pool_remove(heap, &first[i]);
    first[i].state = FHI_PAGE_FRESH;
  }
  if (segment->free_pages == 0)
    open_remove(heap, segment);
  fhi_idle_taken(heap, length, fresh);
  return first;
}

struct fhi_page *fhi_run_take(struct fhi_heap *heap, unsigned length, unsigned alignment, bool burst, bool *zero) {
  struct fhi_page *first = fhi_run_find(heap, length, alignment, burst);
  if (!first && heap->kind == FHI_LOCAL && !heap->late) {
    // Inlined frees leave any number of blocks in the heads. Before the heap grows they go back to their pages, some of which may
    // be empty then; a block is walked once for each time it was freed, at most.
    fhi_heads_flush(heap, true);
    first = fhi_run_find(heap, length, alignment, burst);
  }
  if (!first && heap->kind == FHI_SHARED)
    first = fhi_orphan_run(heap, length, alignment);
  if (!first) {
    struct fhi_segment *segment = segment_new(heap, burst);
    if (segment)
      first = &fhi_pages(segment)[find_pages(segment->free_pages, length, alignment)];
    else if (burst)
      first = fhi_run_find(heap, length, alignment, false); // better than none
    if (!first)
      return NULL;
  }
  return fhi_run_take_at(heap, first, length, zero);
}

void fhi_run_give(struct fhi_heap *heap, struct fhi_page *first, unsigned length) {
  struct fhi_segment *segment = fhi_segment_of_page(first);
  segment->free_pages |= run_mask(fhi_descriptor_index(first), length);
  fhi_count_pages(heap, -length);
  if (!segment->open)
    open_add(heap, segment);
  fhi_idle_given(heap, length);
  if (is_empty(segment)) {
    ++heap->empty_count;
    if (fhi_idle_is_too_much(heap))
      let_go(heap, segment);
  }
  fhi_idle_limit(heap);
}

// The pages that were taken back.
static unsigned clear_pages(struct fhi_heap *heap, struct fhi_segment *segment) {
  struct fhi_page *pages = fhi_pages(segment);
  unsigned count = 0;
  for (uint64_t used = ~segment->free_pages; used != 0; used &= used - 1) {
    unsigned index = (unsigned)__builtin_ctzll(used);
    if (pages[index].state == FHI_PAGE_DEAD)
      continue;
    pages[index].state = FHI_PAGE_FRESH;
    pages[index].fast = NULL;
    segment->free_pages |= (uint64_t)1 << index;
    ++count;
  }
  if (!segment->open && segment->free_pages != 0)
    open_add(heap, segment);
  return count;
}

void fhi_heap_clear(struct fhi_heap *heap) {
  unsigned count = 0;
  for (struct fhi_page *page = heap->pool; page; page = page->next)
    page->state = FHI_PAGE_FRESH;
  heap->pool = NULL;
  for (unsigned class = 0; class < FH_CLASS_COUNT; ++class)
    heap->current[class] = heap->room[class] = NULL;
  memset(heap->packed, 0, sizeof heap->packed);
  heap->empty_count = 0;
  for (struct fhi_segment *segment = heap->segments; segment; segment = segment->next) {
    count += clear_pages(heap, segment);
    heap->empty_count += is_empty(segment);
  }
  fhi_count_pages(heap, -count);
  heap->idle.used -= count;
  heap->idle.pages += count;
  fhi_segments_release(heap, 1);
  fhi_idle_given(heap, 0);
}
