// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// idle.c - what a heap keeps of free pages in segments that it also has blocks in. (Beyond it empty segments, but for one, go to
// cache.c.)
//
// The same rule as there: idle memory beyond a cap is purged at once, by segments with a good number of idle pages; the cap
// doubles for each cap's worth of pages that were purged and needed again within a second, and comes down with time. What was
// idle for all of a second goes too. And a heap that has shrunk to half flushes its heads, so that pages which are current but
// empty do not pin their segments. Nothing here locks or is atomic, but for the look at the cache once a second.
#include "cache.h"
#include "fast.h"
#include "hardened.h"

enum {
  BaseCap = 16,   // pages
  SweepLook = 8,  // segments looked at by one sweep
  SweepWorth = 8, // idle pages that make a purge worth its call
  EventsALook = 16,
  Window = 1000, // milliseconds
  FlushFrom = 64 // pages; a smaller heap is not worth it
};

size_t fhi_segment_purge(struct fhi_heap *heap, struct fhi_segment *segment) {
  struct fhi_page *pages = fhi_pages(segment);
  uint64_t idle = segment->free_pages & segment->touched_pages;
  size_t purged = (size_t)__builtin_popcountll(idle);
  segment->touched_pages &= ~idle;
  while (idle != 0) {
    unsigned first = (unsigned)__builtin_ctzll(idle), length = 0;
    for (; first + length < FHI_PAGES && (idle >> (first + length) & 1) != 0; ++length) {
      struct fhi_page *page = &pages[first + length];
      if (page->state == FHI_PAGE_POOLED) {
        fhi_pool_remove(heap, page);
        page->state = FHI_PAGE_FRESH;
      }
    }
    fhi_os_purge(fhi_page_start(&pages[first]), (size_t)length << FHI_PAGE_SHIFT);
    idle &= length == FHI_PAGES ? 0 : ~((((uint64_t)1 << length) - 1) << first);
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

void fhi_idle_forget(struct fhi_heap *heap) {
  heap->idle.more = heap->idle.purged = heap->idle.mistakes = 0;
  heap->idle.gave_at = fhi_os_milliseconds() - 2 * Window;
}

void fhi_idle_purged(struct fhi_heap *heap, unsigned pages) {
  heap->idle.purged += pages;
  heap->idle.purged_at = fhi_os_milliseconds();
}

// Purges until no more than `keep` pages are idle, or not much can be found.
static void sweep(struct fhi_heap *heap, uint32_t keep) {
  struct fhi_idle *idle = &heap->idle;
  for (unsigned looked = 0; idle->pages > keep && looked < SweepLook; ++looked) {
    struct fhi_segment *segment = idle->next ? idle->next : heap->open;
    if (!segment)
      return;
    idle->next = segment->open_next;
    if (__builtin_popcountll(segment->free_pages & segment->touched_pages) < SweepWorth)
      continue;
    fhi_idle_purged(heap, (unsigned)fhi_segment_purge(heap, segment));
    looked = 0;
  }
}

static void look(struct fhi_heap *heap) {
  struct fhi_idle *idle = &heap->idle;
  uint32_t now = fhi_os_milliseconds();
  if (now - idle->looked < Window)
    return;
  sweep(heap, idle->pages < idle->low ? 0 : idle->pages - idle->low);
  if (idle->high < (BaseCap + idle->more) / 2)
    idle->more /= 2;
  idle->low = idle->high = idle->pages;
  idle->looked = now;
  if (atomic_load_explicit(&fhi_cache_holds, memory_order_relaxed)) {
    fhi_lock();
    fhi_cache_look(now);
    fhi_unlock();
  }
}

static void tick(struct fhi_heap *heap) {
  if (++heap->idle.events % EventsALook == 0)
    look(heap);
}

void fhi_idle_taken(struct fhi_heap *heap, unsigned pages, unsigned fresh) {
  struct fhi_idle *idle = &heap->idle;
  idle->used += pages;
  idle->pages -= pages - fresh;
  if (idle->low > idle->pages)
    idle->low = idle->pages;
  if (idle->used >= FlushFrom && idle->used / 2 > idle->flush_below)
    idle->flush_below = idle->used / 2;
  if (FHI_UNLIKELY(fresh != 0 && idle->purged != 0)) {
    if (fhi_os_milliseconds() - idle->purged_at > Window) {
      idle->purged = idle->mistakes = 0;
    } else {
      uint32_t mistake = fresh < idle->purged ? fresh : idle->purged;
      idle->purged -= mistake;
      // Half a cap's worth doubles it: a cap that is just met would be exceeded by a little again and again.
      for (idle->mistakes += mistake; 2 * idle->mistakes >= BaseCap + idle->more; idle->more += BaseCap + idle->more)
        idle->mistakes -= (BaseCap + idle->more) / 2;
    }
  }
  tick(heap);
}

bool fhi_idle_given(struct fhi_heap *heap, unsigned pages) {
  struct fhi_idle *idle = &heap->idle;
  idle->used -= pages;
  idle->pages += pages;
  if (idle->high < idle->pages)
    idle->high = idle->pages;
  return idle->pages > BaseCap + idle->more;
}

void fhi_idle_limit(struct fhi_heap *heap) {
  struct fhi_idle *idle = &heap->idle;
  if (idle->pages > BaseCap + idle->more)
    sweep(heap, BaseCap + idle->more);
  tick(heap);
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
  uint32_t asked = atomic_load_explicit(&fhi_trim_asked, memory_order_relaxed);
  if (heap->idle.trimmed != asked) {
    heap->idle.trimmed = asked;
    fhi_heap_trim(heap);
    fhi_lock();
    fhi_cache_drop_all();
    fhi_unlock();
  } else if (!heap->late && heap->live_heads) {
    fhi_heads_flush(heap);
  }
  heap->idle.flush_below = heap->idle.used >= FlushFrom ? heap->idle.used / 2 : 0;
}
