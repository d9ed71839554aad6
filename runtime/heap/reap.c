// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reap.c - buries a dead thread's local heap: what has no live block is kept for the thread that adopts the heap; pages with live
// blocks lose their memory, and their addresses are never used again, since others may still hold and compare them.
#include "check.h"
#include "hardened.h"
#include "threads.h"

#include <string.h>

static void bury_run(struct fhi_segment *segment, struct fhi_page *first, unsigned length, pid_t tid) {
  fhi_os_purge(fhi_page_start(first), (size_t)length << FHI_PAGE_SHIFT);
  for (unsigned i = 0; i < length; ++i) {
    first[i].state = FHI_PAGE_DEAD;
    first[i].fast = NULL;
    first[i].used = tid;
    ++segment->dead_pages;
  }
}

static void bury_pages(struct fhi_segment *segment, pid_t tid) {
  for (unsigned i = 0; i < FHI_PAGES; ++i) {
    struct fhi_page *page = &fhi_pages(segment)[i];
    if (page->state == FHI_PAGE_LARGE || page->state == FHI_PAGE_PACKED) {
      bury_run(segment, page, page->length, tid);
    } else if (page->state == FHI_PAGE_CLASS) {
      // Where the heads were not flushed (a heap made after our key's last destructor) its current pages count as live: what
      // its heads held cannot be read any more.
      bury_run(segment, page, 1, tid);
    }
  }
}

void fhi_local_heap_bury(struct fhi_heap *heap, pid_t tid) {
  fhi_sites_drop(heap);
  fhi_hardened_bury(heap, tid);
  for (struct fhi_segment *next, *segment = heap->huge; segment; segment = next) {
    next = segment->next;
    fhi_slots_unmap(segment, true);
  }
  heap->huge = NULL;
  heap->empty_count = 0;
  heap->idle.used = heap->idle.flush_below = 0;
  for (struct fhi_segment *segment = heap->segments; segment; segment = segment->next) {
    bury_pages(segment, tid);
    if (__builtin_popcountll(segment->free_pages) + segment->dead_pages == FHI_PAGES)
      ++heap->empty_count;
  }
  for (unsigned class = 0; class < FH_CLASS_COUNT; ++class)
    heap->current[class] = heap->room[class] = NULL;
  memset(heap->packed, 0, sizeof heap->packed);
  memset(heap->heads, 0, sizeof heap->heads);
  heap->live_heads = NULL;
  heap->late = false;
  heap->mark = 0;
  atomic_store_explicit(&heap->tid, 0, memory_order_relaxed);
  atomic_store_explicit(&heap->counters.pages, 0, memory_order_relaxed);
  // One segment stays for the next thread; those of which only dead pages are left are unmapped for ever.
  fhi_segments_release(heap, 1);
}
