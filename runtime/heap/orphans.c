// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// orphans.c - heaps without a thread: they wait for a new thread that adopts one whole. Meanwhile an orphaned shared heap gives
// its memory to others all the same: a thread that needs a segment takes one over, and what is freed into it is taken back by who
// frees it. All under the global lock; the states and why this is safe: remote.c. Model: tests/model/remote.pml.
#include "keys.h"
#include "threads.h"

enum {
  KeepWarm = 4,  // orphans of a kind beyond this many give back the memory of their free pages, but for
  KeepSmall = 8, // some more that have no more than a few of them
  FewPages = 4,
  Portion = 1 << 20,         // bytes of an orphan taken back under the lock at a time
  TrimOrphanAfter = 1 << 20, // so many bytes taken back, and an orphan gives back the memory of its free pages
  KeepInHeads = 5 << 19,     // an orphan with no more bytes than these in current pages stays as its thread left it,
  KeepInAllHeads = 8 << 20,  // as long as all that do have no more than these
};

static struct fhi_heap *Orphans[2];
static unsigned OrphanCount[2];
static size_t HeadsKept; // bytes
// Something may wait for an orphan: a portion was not all, or a block was forwarded from one to another. Whoever holds the lock
// next goes on with it.
static bool MayWait;

void fhi_orphans_may_wait(void) { MayWait = true; }

// Takes back what waits for an orphan, a portion of it, and gives back what is empty then.
static void take_back(struct fhi_heap *heap) {
  if (!fhi_remote_waits(heap))
    return;
  heap->taken_back += fhi_remote_drain(heap, Portion);
  MayWait |= fhi_remote_waits(heap);
  fhi_segments_release(heap, 0);
  if (heap->taken_back > TrimOrphanAfter) {
    heap->taken_back = 0;
    fhi_heap_purge(heap);
  }
}

// To flush heads is to touch every free block in them, on another processor than the one that used them: not for a heap that the
// next thread is likely to adopt.
static void keep_or_flush_heads(struct fhi_heap *heap) {
  size_t bytes = 0;
  for (unsigned class = 0; class < FH_CLASS_COUNT; ++class)
    if (heap->current[class])
      bytes += (size_t)heap->current[class]->carved * heap->current[class]->block;
  if (bytes != 0 && !heap->keep.has && OrphanCount[FHI_SHARED] < KeepSmall && bytes <= KeepInHeads &&
      HeadsKept + bytes <= KeepInAllHeads) {
    heap->heads_kept = bytes;
    HeadsKept += bytes;
  } else {
    fhi_heads_flush(heap, false);
  }
}

static bool heads_not_kept(struct fhi_heap *heap) {
  size_t kept = heap->heads_kept;
  heap->heads_kept = 0;
  HeadsKept -= kept;
  return kept != 0;
}

static void flush_kept_heads(struct fhi_heap *heap) {
  if (heads_not_kept(heap))
    fhi_heads_flush(heap, false);
}

void fhi_orphans_flush_heads(void) {
  for (struct fhi_heap *heap = Orphans[FHI_SHARED]; heap && HeadsKept != 0; heap = heap->next)
    flush_kept_heads(heap);
}

static void work_on(void) {
  for (int round = 0; MayWait && round < 2; ++round) {
    MayWait = false;
    for (struct fhi_heap *heap = Orphans[FHI_SHARED]; heap; heap = heap->next)
      take_back(heap);
  }
}

void fhi_orphan_add(struct fhi_heap *heap) {
  for (struct fhi_heap *level = heap; level; level = level->above)
    fhi_idle_forget(level);
  if (heap->kind == FHI_SHARED) {
    fhi_keep_end(heap);
    fhi_outboxes_flush(heap, false); // not empty where the thread never marked itself
    keep_or_flush_heads(heap);
    atomic_store_explicit(&heap->state, FHI_ORPHAN, memory_order_seq_cst);
    fhi_remote_drain(heap, Portion);
    MayWait |= atomic_load_explicit(&heap->remote, memory_order_seq_cst) != 0 || heap->inbox;
  }
  if (OrphanCount[heap->kind] >= (heap->idle.pages > FewPages ? KeepWarm : KeepSmall))
    fhi_heap_purge(heap);
  else
    fhi_segments_release(heap, 1);
  ++OrphanCount[heap->kind];
  heap->next = Orphans[heap->kind];
  Orphans[heap->kind] = heap;
  work_on();
}

struct fhi_heap *fhi_orphan_adopt(enum fhi_kind kind) {
  struct fhi_heap *heap = Orphans[kind];
  if (heap) {
    Orphans[kind] = heap->next;
    --OrphanCount[kind];
    heads_not_kept(heap);
    fhi_idle_forget(heap);
  }
  return heap;
}

bool fhi_heap_is_parked(const struct fhi_heap *heap) {
  for (const struct fhi_heap *orphan = Orphans[heap->kind]; orphan; orphan = orphan->next)
    if (orphan == heap->root)
      return true;
  return false;
}

void fhi_orphan_visit(struct fhi_heap *heap) {
  fhi_lock();
  fhi_threads_reap();
  if (atomic_load_explicit(&heap->state, memory_order_relaxed) == FHI_ORPHAN)
    take_back(heap);
  work_on();
  fhi_unlock();
}

struct fhi_page *fhi_orphan_run(struct fhi_heap *heap, unsigned length, unsigned alignment) {
  struct fhi_page *first = NULL;
  fhi_lock();
  fhi_threads_reap();
  work_on(); // not later: it may give back segments of `heap`
  for (struct fhi_heap *orphan = Orphans[FHI_SHARED]; orphan && !first; orphan = orphan->next) {
    take_back(orphan);
    flush_kept_heads(orphan);
    first = fhi_run_find(orphan, length, alignment, false);
    if (first)
      fhi_segment_move(orphan, heap, fhi_segment_of_page(first));
  }
  fhi_unlock();
  return first;
}

size_t fhi_orphans_trim(void) {
  size_t given = 0;
  fhi_lock();
  fhi_threads_reap();
  fhi_orphans_flush_heads();
  for (struct fhi_heap *heap = Orphans[FHI_SHARED]; heap; heap = heap->next) {
    fhi_remote_drain(heap, SIZE_MAX);
    given += fhi_heap_trim(heap);
  }
  uint32_t rights = fhi_keys_open();
  for (struct fhi_heap *heap = Orphans[FHI_LOCAL]; heap; heap = heap->next)
    for (struct fhi_heap *level = heap; level; level = level->above)
      given += fhi_heap_trim(level);
  fhi_keys_close(rights);
  work_on();
  fhi_unlock();
  return given;
}
