// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// idle.c - what a heap keeps of free pages in its segments.
//
// Empty segments beyond a fair share go to cache.c, where other threads find them: that costs a lock and gives no memory away.
// For free pages beside blocks a heap borrows from what the process may keep. Where it gets nothing they are purged, by segments
// with a good number of them; if they are needed again within a second that was a mistake, which cache.c learns from. What was
// idle for all of a second goes too, and what was borrowed is repaid as it is not needed. And a heap that has shrunk to half
// flushes its heads, so that pages which are current but empty do not pin their segments.
#include "cache.h"
#include "fast.h"
#include "hardened.h"

enum {
  FairCap = 16, // pages, and
  FairPart = 8, // this part of those in use
  BorrowAtOnce = FHI_PAGES,
  SweepLook = 8,  // segments looked at by one sweep
  SweepWorth = 8, // idle pages that make a purge worth its call
  EventsALook = 16,
  EdgeTurnover = FHI_PAGES / 2, // a heap that takes two segments within so many pages is at a segment's edge
  Window = 1000,                // milliseconds
  FlushFrom = 64                // pages; a smaller heap is not worth it
};

// Free pages of a segment with memory behind them; of one that was never used too, where a huge page lies under it and others.
static uint64_t idle_pages(const struct fhi_segment *segment) {
  uint64_t idle = segment->free_pages & segment->touched_pages;
  for (unsigned half = 0; half < 2; ++half) {
    uint64_t pages = (uint64_t)UINT32_MAX << (half * FHI_PAGES / 2);
    if ((segment->thp >> half & 1) != 0 && (idle & pages) != 0)
      idle |= segment->free_pages & pages;
  }
  return idle;
}

size_t fhi_segment_purge(struct fhi_heap *heap, struct fhi_segment *segment) {
  struct fhi_page *pages = fhi_pages(segment);
  uint64_t idle = idle_pages(segment);
  size_t purged = 0;
  for (unsigned half = 0; half < 2; ++half) {
    uint32_t part = (uint32_t)(idle >> (half * FHI_PAGES / 2));
    segment->torn |= (segment->thp >> half & 1) != 0 && part != 0 && part != UINT32_MAX;
  }
  while (idle != 0) {
    unsigned first = (unsigned)__builtin_ctzll(idle), length = 0;
    for (; first + length < FHI_PAGES && (idle >> (first + length) & 1) != 0; ++length) {
      struct fhi_page *page = &pages[first + length];
      if (page->state == FHI_PAGE_POOLED) {
        fhi_pool_remove(heap, page);
        page->state = FHI_PAGE_FRESH;
      }
    }
    uint64_t run = ((((uint64_t)1 << (length - 1)) << 1) - 1) << first;
    idle &= ~run;
    if (fhi_os_purge(fhi_page_start(&pages[first]), (size_t)length << FHI_PAGE_SHIFT)) {
      purged += (size_t)__builtin_popcountll(run & segment->touched_pages);
      segment->touched_pages &= ~run;
    }
  }
  heap->idle.pages -= (uint32_t)purged;
  fhi_count(&heap->counters.purged_bytes, purged << FHI_PAGE_SHIFT);
  return purged;
}

size_t fhi_heap_purge(struct fhi_heap *heap) {
  size_t pages = 0;
  fhi_segments_release(heap, 0);
  for (struct fhi_segment *segment = heap->segments; segment; segment = segment->next)
    pages += fhi_segment_purge(heap, segment);
  return (pages << FHI_PAGE_SHIFT) + fhi_hardened_trim(heap);
}

static void repay(struct fhi_idle *idle, uint32_t pages) {
  if (pages == 0)
    return;
  idle->lent -= pages;
  fhi_lock();
  fhi_cache_repay((size_t)pages << FHI_PAGE_SHIFT);
  fhi_unlock();
}

static bool borrow(struct fhi_idle *idle) {
  fhi_lock();
  bool may = fhi_cache_lend((size_t)BorrowAtOnce << FHI_PAGE_SHIFT, fhi_os_milliseconds());
  fhi_unlock();
  if (may)
    idle->lent += BorrowAtOnce;
  return may;
}

void fhi_idle_lost(const struct fhi_heap *heap) { fhi_cache_repay((size_t)heap->idle.lent << FHI_PAGE_SHIFT); }

void fhi_idle_forget(struct fhi_heap *heap) {
  struct fhi_idle *idle = &heap->idle;
  repay(idle, idle->lent);
  idle->edge = idle->purged = idle->ask_at = 0;
  idle->burst.pages = 0;
  idle->gave_at = fhi_os_milliseconds() - 2 * Window;
}

static uint32_t fair_share(const struct fhi_idle *idle) { return FairCap + idle->used / FairPart + idle->edge; }

static bool purge(struct fhi_heap *heap, struct fhi_segment *segment) {
  struct fhi_idle *idle = &heap->idle;
  size_t pages = fhi_segment_purge(heap, segment);
  if (pages == 0)
    return false;
  idle->purged += (uint32_t)pages;
  idle->purged_at = fhi_os_milliseconds();
  fhi_lock();
  fhi_cache_dropped(pages << FHI_PAGE_SHIFT, fhi_os_milliseconds());
  fhi_unlock();
  return true;
}

// Gives until no more than `keep` pages are idle, or not much can be found.
static void sweep(struct fhi_heap *heap, uint32_t keep) {
  struct fhi_idle *idle = &heap->idle;
  for (unsigned looked = 0; idle->pages > keep && looked < SweepLook; ++looked) {
    struct fhi_segment *segment = idle->next ? idle->next : heap->open;
    if (!segment)
      return;
    idle->next = segment->open_next;
    if (__builtin_popcountll(segment->free_pages & segment->touched_pages) < SweepWorth)
      continue;
    if (!purge(heap, segment))
      return; // the memory is locked: it stays
    looked = 0;
  }
}

static void look(struct fhi_heap *heap) {
  struct fhi_idle *idle = &heap->idle;
  uint32_t now = fhi_os_milliseconds();
  if (now - idle->looked < Window)
    return;
  uint32_t keep = idle->pages < idle->low ? 0 : idle->pages - idle->low;
  idle->edge = 0;
  if (idle->pages > keep && heap->empty_count != 0)
    fhi_segments_release(heap, 0);
  sweep(heap, keep);
  uint32_t fair = fair_share(idle), needed = idle->high > fair ? idle->high - fair : 0;
  if (needed < idle->lent / 2)
    repay(idle, idle->lent - idle->lent / 2);
  idle->low = idle->high = idle->pages;
  idle->looked = now;
  if (atomic_load_explicit(&fhi_cache_holds, memory_order_relaxed)) {
    fhi_lock();
    fhi_cache_look(fhi_os_milliseconds());
    fhi_unlock();
  }
}

static void tick(struct fhi_heap *heap) {
  if (++heap->idle.events % EventsALook == 0)
    look(heap);
}

// Pages are taken that have no memory behind them, while some that were purged are missing: was that a mistake?
static FHI_NOINLINE void purged_are_missed(struct fhi_idle *idle, uint32_t fresh) {
  uint32_t now = fhi_os_milliseconds();
  if (now - idle->purged_at > Window) {
    idle->purged = 0;
    return;
  }
  uint32_t mistake = fresh < idle->purged ? fresh : idle->purged;
  idle->purged -= mistake;
  fhi_lock();
  fhi_cache_missed((size_t)mistake << FHI_PAGE_SHIFT, fhi_os_milliseconds(), idle->purged_at);
  fhi_unlock();
}

void fhi_idle_taken(struct fhi_heap *heap, unsigned pages, unsigned fresh) {
  struct fhi_idle *idle = &heap->idle;
  idle->used += pages;
  idle->turned_over += pages;
  idle->pages -= pages - fresh;
  idle->ask_at = 0;
  if (idle->low > idle->pages)
    idle->low = idle->pages;
  if (idle->used >= FlushFrom && idle->used / 2 > idle->flush_below)
    idle->flush_below = idle->used / 2;
  if (FHI_UNLIKELY(fresh != 0 && idle->purged != 0))
    purged_are_missed(idle, fresh);
  tick(heap);
}

void fhi_idle_given(struct fhi_heap *heap, unsigned pages) {
  struct fhi_idle *idle = &heap->idle;
  idle->used -= pages;
  idle->turned_over += pages;
  idle->pages += pages;
  if (idle->high < idle->pages)
    idle->high = idle->pages;
}

bool fhi_idle_is_too_much(const struct fhi_heap *heap) { return heap->idle.pages > fair_share(&heap->idle); }

void fhi_idle_limit(struct fhi_heap *heap) {
  struct fhi_idle *idle = &heap->idle;
  uint32_t fair = fair_share(idle);
  if (idle->pages > fair) {
    if (heap->empty_count != 0)
      fhi_segments_release(heap, 0);
    if (idle->pages > fair + idle->lent && idle->pages >= idle->ask_at && !borrow(idle)) {
      sweep(heap, fair + idle->lent);
      idle->ask_at = idle->pages + SweepWorth;
    }
  }
  tick(heap);
}

void fhi_idle_gives(struct fhi_heap *heap, unsigned pages) {
  struct fhi_idle *idle = &heap->idle;
  idle->gave_at = fhi_os_milliseconds();
  if (idle->pages <= FairCap + pages) // before the cache counts them
    repay(idle, idle->lent);
}

void fhi_idle_grows(struct fhi_heap *heap) {
  struct fhi_idle *idle = &heap->idle;
  if (idle->grew_at != 0 && idle->turned_over - idle->grew_at < EdgeTurnover)
    idle->edge = FHI_PAGES;
  idle->grew_at = idle->turned_over | 1;
}

void fhi_idle_moved(struct fhi_heap *heap, const struct fhi_segment *segment, bool joins) {
  struct fhi_idle *idle = &heap->idle;
  uint32_t used = FHI_PAGES - segment->dead_pages - (uint32_t)__builtin_popcountll(segment->free_pages);
  uint32_t pages = (uint32_t)__builtin_popcountll(segment->free_pages & segment->touched_pages);
  idle->used += joins ? used : -used;
  idle->pages += joins ? pages : -pages;
  if (idle->low > idle->pages)
    idle->low = idle->pages;
  if (idle->next == segment)
    idle->next = NULL;
}

bool fhi_idle_give_up(void) {
  struct fhi_self *self = fhi_self();
  struct fhi_heap *mine[] = {self->shared, self->local};
  uint32_t given = 0;
  for (unsigned i = 0; i < 2; ++i)
    if (mine[i] != &fhi_no_heap) {
      given += mine[i]->empty_count;
      fhi_heap_purge(mine[i]);
    }
  fhi_lock();
  fhi_cache_drop_all();
  fhi_unlock();
  return given != 0;
}

FHI_NOINLINE void fhi_idle_act(struct fhi_heap *heap) {
  if (heap->idle.trimmed != atomic_load_explicit(&fhi_trim_asked, memory_order_relaxed)) {
    fhi_heap_trim(heap);
    fhi_lock();
    fhi_cache_drop_all();
    fhi_unlock();
  } else if (!heap->late && heap->live_heads) {
    if (heap->kind == FHI_SHARED)
      fhi_depot_empty(heap);
    fhi_heads_flush(heap, true);
  }
  heap->idle.flush_below = heap->idle.used >= FlushFrom ? heap->idle.used / 2 : 0;
}
