// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mark.c - marks and resets: all that a thread allocated since a mark is dropped at once, whatever it is.
//
//   A thread's local heap is a stack of levels: its first heap, and on top of it one more struct fhi_heap, with segments of its
//   own, for each mark in force. The topmost one is self->local: it alone allocates, and the heads in the thread's record are
//   its own. Those of a lower level are put by in its heap->heads.
//
//   So a reset gives whole pages back and walks no block, and a free of an older block is nothing special. What it takes is that
//   no older block comes back through a head: inlined frees do not push while a mark is in force (fhi_push_update), and a realloc
//   always takes its new block from the topmost level.
//
// Levels are made once and kept for the next mark, with one segment; they go with the thread's first heap from owner to owner.
#include "api.h"
#include "check.h"
#include "hardened.h"
#include "large.h"
#include "threads.h"

#include "freehold/heap.h"

#include <string.h>

// The heads of the thread's record become a lower level's own.
static void put_by(struct fhi_heap *heap, void **heads) {
  fhi_zero_take(heap);
  for (unsigned class = 0; class < FH_CLASS_COUNT; ++class) {
    heap->heads[class] = heads[class];
    heads[class] = NULL;
  }
  heap->live_heads = heap->heads;
}

static void take_up(struct fhi_heap *heap, void **heads) {
  for (unsigned class = 0; class < FH_CLASS_COUNT; ++class) {
    heads[class] = heap->heads[class];
    heap->heads[class] = NULL;
  }
  heap->live_heads = heads;
}

FHI_EXPORT fh_mark_t fh_heap_mark(fh_heap_t *heap) {
  fhi_check_heap(heap);
  struct fhi_heap *lower = fhi_local_heap();
  struct fhi_heap *level = !lower ? NULL : lower->above ? lower->above : fhi_level_make(lower);
  if (!level)
    return (fh_mark_t){0};
  struct fhi_self *self = fhi_self();
  put_by(lower, self->heads);
  level->live_heads = self->heads;
  level->fast = lower->fast;
  atomic_store_explicit(&level->tid, atomic_load_explicit(&lower->tid, memory_order_relaxed), memory_order_relaxed);
  level->late = lower->late;
  level->mark = ++lower->root->marks;
  self->local = level;
  fhi_push_update();
  return (fh_mark_t){level->mark};
}

// Everything in a level goes, but for one segment. Out of use its heads are its own, all null.
static void drop(struct fhi_heap *level) {
  memset(level->live_heads, 0, sizeof level->heads);
  level->live_heads = level->heads;
  if (atomic_load_explicit(&level->sites, memory_order_relaxed))
    fhi_sites_drop(level);
  for (struct fhi_segment *next, *segment = level->huge; segment; segment = next) {
    next = segment->next;
    fhi_huge_free(segment);
  }
  fhi_hardened_reset(level);
  fhi_heap_clear(level);
  level->mark = 0;
}

// The level that a mark made; NULL if it is not in force any more.
static struct fhi_heap *find(struct fhi_heap *top, uint64_t mark) {
  for (; top->below; top = top->below)
    if (top->mark == mark)
      return top;
  return NULL;
}

static FHI_NOINLINE _Noreturn void stop_stale(uint64_t mark) {
  struct fhi_line line;
  fhi_line_start(&line);
  fhi_line_text(&line, "stale mark: mark ");
  fhi_line_number(&line, mark);
  fhi_line_text(&line, " of thread ");
  fhi_line_number(&line, (uint64_t)fhi_os_tid());
  fhi_line_text(&line, " was reset before, or an older one with it: each mark serves once");
  fhi_line_stop(&line);
}

FHI_EXPORT void fh_heap_reset(fh_heap_t *heap, fh_mark_t mark) {
  fhi_check_heap(heap);
  struct fhi_self *self = fhi_self();
  if (mark.serial == 0)
    return;
  struct fhi_heap *level = find(self->local, mark.serial);
  if (!level) {
    if (fhi_hardened())
      stop_stale(mark.serial);
    return;
  }
  for (struct fhi_heap *top = self->local; top != level->below; top = top->below)
    drop(top);
  self->local = level->below;
  take_up(self->local, self->heads);
  fhi_push_update();
}
