// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hard_segment.c - the hardened heap's segments and pages: taken, given back, left by threads that end. See hard.h.
#include "hard.h"

#include <string.h>

enum {
  SearchLimit = 32, // segments a search looks at before it takes a new one
  KeepSpare = 4,    // records of segments that are gone keep their memory, for what they know of late frees
  KeepIdle = 256    // free pages with memory that a heap keeps
};

struct fhi_hard_segment *_Atomic fhi_hard_segments[FHI_SLOT_COUNT];

struct fhi_hard *fhi_hard_of(struct fhi_heap *heap) {
  if (FHI_UNLIKELY(!heap->hard)) {
    struct fhi_hard *hard = fhi_os_map(sizeof *hard);
    if (!hard)
      return NULL;
    hard->random = (uintptr_t)hard;
    heap->hard = hard;
  }
  return heap->hard;
}

// ---- segments ----

static void announce(struct fhi_hard_segment *segment) {
  size_t first = fhi_slot_of(segment->start), count = (segment->size + FHI_SLOT_SIZE - 1) >> FHI_SLOT_SHIFT;
  for (size_t i = 0; i < count; ++i)
    atomic_store_explicit(&fhi_hard_segments[first + i], segment, memory_order_release);
}

static void forget(struct fhi_hard_segment *segment) {
  if (!segment->start)
    return;
  size_t first = fhi_slot_of(segment->start), count = (segment->size + FHI_SLOT_SIZE - 1) >> FHI_SLOT_SHIFT;
  for (size_t i = 0; i < count; ++i) {
    struct fhi_hard_segment *expected = segment;
    atomic_compare_exchange_strong_explicit(&fhi_hard_segments[first + i], &expected, NULL, memory_order_relaxed,
                                            memory_order_relaxed);
  }
}

static struct fhi_hard_segment *segment_new(struct fhi_heap *heap, size_t size, bool huge) {
  struct fhi_hard *hard = heap->hard;
  struct fhi_hard_segment **spares = huge ? &hard->spare_huge : &hard->spare, *segment = *spares;
  struct fhi_segment *slot = fhi_slots_map(heap, size, huge);
  if (!slot)
    return NULL;
  if (segment) {
    *spares = segment->next;
    hard->spare_count -= !huge;
    forget(segment);
  } else if (!(segment = fhi_os_map(huge ? FHI_HARD_HUGE_SIZE : sizeof *segment))) {
    fhi_slots_unmap(slot, false);
    return NULL;
  }
  memset(segment, 0, FHI_HARD_HUGE_SIZE);
  for (unsigned i = 0; i < FHI_PAGES; ++i)
    segment->pages[i].index = (uint8_t)i;
  segment->segment = slot;
  segment->heap = heap;
  segment->start = fhi_segment_start(slot);
  segment->size = size;
  segment->huge = huge;
  segment->free_pages = huge ? 0 : ~(uint64_t)0;
  // Not zero where the ordinary heap, which served what came before the mode was known, had used it.
  segment->touched_pages = slot->touched_pages;
  if (!huge)
    hard->idle_pages += (size_t)__builtin_popcountll(slot->touched_pages);
  segment->next = hard->segments;
  if (segment->next)
    segment->next->previous = segment;
  hard->segments = segment;
  announce(segment);
  return segment;
}

static void unlink_segment(struct fhi_hard *hard, struct fhi_hard_segment *segment) {
  if (segment->next)
    segment->next->previous = segment->previous;
  if (segment->previous)
    segment->previous->next = segment->next;
  else
    hard->segments = segment->next;
}

// The record still knows the blocks, for late frees. retire: the addresses are never used again, which the slot table says.
static void segment_delete(struct fhi_hard *hard, struct fhi_hard_segment *segment, bool retire) {
  unlink_segment(hard, segment);
  fhi_slots_unmap(segment->segment, retire);
  if (retire)
    forget(segment);
  struct fhi_hard_segment **spares = segment->huge ? &hard->spare_huge : &hard->spare;
  segment->next = *spares;
  *spares = segment;
  if (!segment->huge && ++hard->spare_count > KeepSpare) {
    memset(segment->pages, 0, sizeof segment->pages);
    fhi_os_purge(segment->order, sizeof *segment - FHI_HARD_HUGE_SIZE);
  }
}

static bool is_empty(const struct fhi_hard_segment *segment) {
  return !segment->huge && __builtin_popcountll(segment->free_pages) + segment->dead_pages == FHI_PAGES;
}

void fhi_hard_release(struct fhi_hard *hard, unsigned keep) {
  struct fhi_hard_segment *next;
  for (struct fhi_hard_segment *segment = hard->segments; segment && hard->empty_count > keep; segment = next) {
    next = segment->next;
    if (is_empty(segment)) {
      --hard->empty_count;
      segment_delete(hard, segment, segment->dead_pages != 0);
    }
  }
}

// ---- pages ----

static uint64_t mask_of(unsigned index, unsigned length) { return ((((uint64_t)1 << (length - 1)) << 1) - 1) << index; }

static unsigned find_pages(uint64_t starts, unsigned length) {
  for (unsigned have = 1; have < length;) {
    unsigned step = have < length - have ? have : length - have;
    starts &= starts >> step;
    have += step;
  }
  return starts ? (unsigned)__builtin_ctzll(starts) : FHI_PAGES;
}

// The free pages that can be used. Those that could not be opened when they became free are tried again.
static uint64_t open_pages(struct fhi_hard_segment *segment) {
  for (uint64_t closed = segment->closed_pages; FHI_UNLIKELY(closed != 0); closed &= closed - 1) {
    unsigned index = (unsigned)__builtin_ctzll(closed);
    char *start = segment->start + ((size_t)index << FHI_PAGE_SHIFT);
    if (!fhi_guard_open(start, start + FHI_PAGE_SIZE))
      break;
    segment->closed_pages &= ~((uint64_t)1 << index);
  }
  return segment->free_pages & ~segment->closed_pages;
}

static struct fhi_hard_page *pages_take(struct fhi_heap *heap, unsigned length, struct fhi_hard_segment **where, bool *zero) {
  struct fhi_hard *hard = heap->hard;
  struct fhi_hard_segment *segment = hard->segments;
  unsigned index = FHI_PAGES, looked = 0;
  for (; segment && looked < SearchLimit; segment = segment->next, ++looked)
    if ((index = find_pages(open_pages(segment), length)) != FHI_PAGES)
      break;
  if (index == FHI_PAGES) {
    if (!(segment = segment_new(heap, FHI_SLOT_SIZE, false)))
      return NULL;
    index = 0;
  } else if (is_empty(segment)) {
    --hard->empty_count;
  }
  uint64_t mask = mask_of(index, length), touched = segment->touched_pages & mask;
  *zero = touched == 0;
  hard->idle_pages -= (size_t)__builtin_popcountll(touched);
  segment->free_pages &= ~mask;
  segment->touched_pages |= mask;
  fhi_count_pages(heap, length);
  for (unsigned i = index; i < index + length; ++i)
    segment->pages[i] = (struct fhi_hard_page){.index = (uint8_t)i, .first = (uint8_t)index, .layout = FHI_HARD_REST};
  *where = segment;
  return &segment->pages[index];
}

static void purge_idle(struct fhi_hard *hard) {
  size_t stuck = 0; // where memory is locked
  for (struct fhi_hard_segment *segment = hard->segments; segment; segment = segment->next) {
    for (uint64_t idle = segment->free_pages & segment->touched_pages; idle != 0; idle &= idle - 1) {
      unsigned index = (unsigned)__builtin_ctzll(idle);
      if (fhi_os_purge(segment->start + ((size_t)index << FHI_PAGE_SHIFT), FHI_PAGE_SIZE))
        segment->touched_pages &= ~((uint64_t)1 << index);
      else
        ++stuck;
    }
  }
  hard->idle_pages = hard->idle_stuck = stuck;
}

static void pages_give(struct fhi_heap *heap, struct fhi_hard_segment *segment, unsigned index, unsigned length, bool open) {
  struct fhi_hard *hard = heap->hard;
  uint64_t mask = mask_of(index, length);
  segment->free_pages |= mask;
  segment->closed_pages |= open ? 0 : mask;
  fhi_count_pages(heap, -length);
  hard->idle_pages += (size_t)__builtin_popcountll(segment->touched_pages & mask);
  if (is_empty(segment) && ++hard->empty_count > FHI_HARD_KEEP_EMPTY && !hard->hold) {
    hard->idle_pages -= (size_t)__builtin_popcountll(segment->touched_pages & segment->free_pages);
    --hard->empty_count;
    segment_delete(hard, segment, segment->dead_pages != 0);
  }
  if (hard->idle_pages > hard->idle_stuck + KeepIdle && !hard->hold)
    purge_idle(hard);
}

void fhi_hard_room_add(struct fhi_hard *hard, struct fhi_hard_page *page) {
  page->previous = NULL;
  page->next = hard->room[page->class];
  if (page->next)
    page->next->previous = page;
  hard->room[page->class] = page;
}

void fhi_hard_room_remove(struct fhi_hard *hard, struct fhi_hard_page *page) {
  if (page->next)
    page->next->previous = page->previous;
  if (page->previous)
    page->previous->next = page->next;
  else
    hard->room[page->class] = page->next;
}

// Where a page's blocks end: under guard the last system page is never accessible.
static char *blocks_end(char *start) { return start + FHI_PAGE_SIZE - (fhi_guard() ? FHI_SYSTEM_PAGE : 0); }

struct fhi_hard_page *fhi_hard_page_new(struct fhi_heap *heap, unsigned class) {
  struct fhi_hard_segment *segment;
  bool zero;
  struct fhi_hard_page *page = pages_take(heap, 1, &segment, &zero);
  if (!page)
    return NULL;
  char *start = fhi_hard_page_start(segment, page);
  page->class = (uint8_t)class;
  page->block = (uint32_t)fh_class_size(class);
  page->inverse = (uint32_t)((((uint64_t)1 << 32) + page->block - 1) / page->block);
  page->capacity = (uint16_t)((size_t)(blocks_end(start) - start) / page->block);
  memset(segment->words[page->index], 0, page->capacity * sizeof(fhi_hard_word));
  page->layout = FHI_HARD_CLASS;
  if (fhi_guard())
    fhi_guard_close(blocks_end(start), start + FHI_PAGE_SIZE);
  fhi_hard_room_add(heap->hard, page);
  ++heap->hard->retained; // until its first block goes out
  return page;
}

static bool open_page(const struct fhi_hard_segment *segment, const struct fhi_hard_page *page) {
  char *start = fhi_hard_page_start(segment, page);
  return fhi_guard_open(blocks_end(start), start + FHI_PAGE_SIZE);
}

void fhi_hard_page_retire(struct fhi_heap *heap, struct fhi_hard_segment *segment, struct fhi_hard_page *page) {
  fhi_hard_room_remove(heap->hard, page);
  --heap->hard->retained;
  pages_give(heap, segment, page->index, 1, open_page(segment, page));
}

struct fhi_hard_page *fhi_hard_run_new(struct fhi_heap *heap, size_t size, char **begin, char **end, bool *zero) {
  size_t length = (size + FHI_PAGE_SIZE - 1) >> FHI_PAGE_SHIFT;
  struct fhi_hard_segment *segment;
  struct fhi_hard_page *page;
  *zero = true;
  if (length <= FHI_PAGES) {
    page = pages_take(heap, (unsigned)length, &segment, zero);
  } else {
    segment = segment_new(heap, length << FHI_PAGE_SHIFT, true);
    page = segment ? &segment->pages[0] : NULL;
    *zero = segment && segment->touched_pages == 0;
  }
  if (!page)
    return NULL;
  *begin = fhi_hard_page_start(segment, page);
  *end = *begin + (length << FHI_PAGE_SHIFT);
  page->length = (uint8_t)(segment->huge ? 0 : length);
  page->layout = FHI_HARD_RUN;
  return page;
}

void fhi_hard_run_free(struct fhi_heap *heap, struct fhi_hard_segment *segment, struct fhi_hard_page *page, bool open) {
  if (segment->huge)
    segment_delete(heap->hard, segment, false);
  else
    pages_give(heap, segment, page->index, page->length, open);
}

// ---- whole heaps ----

static void bury_page(struct fhi_hard_segment *segment, struct fhi_hard_page *page, unsigned length, pid_t tid) {
  fhi_os_purge(fhi_hard_page_start(segment, page), (size_t)length << FHI_PAGE_SHIFT);
  for (unsigned i = 0; i < length; ++i) {
    page[i].dead = tid;
    // The owner check and everybody else look at the common descriptor.
    struct fhi_page *common = &fhi_pages(segment->segment)[page->index + i];
    common->state = FHI_PAGE_DEAD;
    common->used = (uint32_t)tid;
    ++segment->dead_pages;
  }
  // Nothing grows with the threads that end: of dead blocks only the thread is remembered.
  fhi_os_purge(segment->order[page->index], sizeof segment->order[0]);
  fhi_os_purge(segment->words[page->index], sizeof segment->words[0]);
}

static void bury_segment(struct fhi_hard_segment *segment, pid_t tid) {
  uint64_t retained = 0; // pages of a class that are empty
  for (unsigned i = 0; i < FHI_PAGES; ++i) {
    struct fhi_hard_page *page = &segment->pages[i];
    if (page->dead || segment->free_pages >> i & 1)
      continue;
    if (page->layout == FHI_HARD_RUN)
      bury_page(segment, page, page->length, tid);
    else if (page->layout == FHI_HARD_CLASS && page->out != 0)
      bury_page(segment, page, 1, tid);
    else if (page->layout == FHI_HARD_CLASS)
      retained |= (uint64_t)1 << i;
  }
  segment->free_pages |= retained;
  for (; retained != 0; retained &= retained - 1)
    if (!open_page(segment, &segment->pages[__builtin_ctzll(retained)]))
      segment->closed_pages |= retained & -retained;
}

void fhi_hardened_bury(struct fhi_heap *heap, pid_t tid) {
  struct fhi_hard *hard = heap->hard;
  if (!hard)
    return;
  fhi_hard_quarantine_empty(heap);
  hard->empty_count = 0;
  hard->retained = 0;
  memset(hard->room, 0, sizeof hard->room);
  for (struct fhi_hard_segment *next, *segment = hard->segments; segment; segment = next) {
    next = segment->next;
    if (segment->huge) {
      segment->pages[0].dead = tid;
      segment_delete(hard, segment, true);
      continue;
    }
    bury_segment(segment, tid);
    hard->empty_count += is_empty(segment);
  }
  purge_idle(hard);
  fhi_hard_release(hard, 1);
}

size_t fhi_hardened_trim(struct fhi_heap *heap) {
  struct fhi_hard *hard = heap->hard;
  if (!hard)
    return 0;
  hard->hold = true;
  fhi_hard_drain(heap);
  for (unsigned class = 0; class < FH_CLASS_COUNT; ++class)
    for (struct fhi_hard_page *next, *page = hard->room[class]; page; page = next) {
      next = page->next;
      if (page->out == 0)
        fhi_hard_page_retire(heap, fhi_hard_segment_of(page), page);
    }
  hard->hold = false;
  size_t given = hard->idle_pages << FHI_PAGE_SHIFT;
  fhi_hard_release(hard, 0);
  purge_idle(hard);
  return given;
}
