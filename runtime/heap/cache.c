// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cache.c - empty segments and freed huge mappings of all threads, kept for a while: fresh memory costs more than all else here.
//
// What is kept is bounded by a cap that adapts, as no thread runs in the background to look after it later. What would exceed the
// cap is unmapped at once, the oldest first, so that a process that falls idle holds little. When memory is needed again that was
// unmapped less than a second ago, unmapping it was a mistake, and the cap doubles for each cap's worth of mistakes; with time it
// comes down again. What was not needed for a second goes at the next occasion, too.
//
// All under the global lock, but for fhi_cache_waits.
#include "cache.h"

enum { BaseCap = 8 << 20, KeepFor = 1000, HalveEvery = 4000 }; // bytes; milliseconds

static struct fhi_segment *Newest, *Oldest; // linked by next to the older, by previous to the newer one
static size_t Held, Cap = BaseCap, Dropped, Mistakes;
static uint32_t DroppedAt, CapAt;
_Atomic(bool) fhi_cache_holds;

static void entry_remove(struct fhi_segment *entry) {
  if (entry->next)
    entry->next->previous = entry->previous;
  else
    Oldest = entry->previous;
  if (entry->previous)
    entry->previous->next = entry->next;
  else
    Newest = entry->next;
  Held -= entry->size;
  if (!Newest)
    atomic_store_explicit(&fhi_cache_holds, false, memory_order_relaxed);
}

static void drop(struct fhi_segment *entry, uint32_t now) {
  entry_remove(entry);
  if (now - DroppedAt > KeepFor)
    Dropped = Mistakes = 0;
  Dropped += entry->size;
  DroppedAt = now;
  fhi_slots_release(entry);
}

void fhi_cache_look(uint32_t now) {
  for (; Cap > BaseCap && now - CapAt > HalveEvery; CapAt += HalveEvery)
    Cap /= 2;
  while (Oldest && (Held > Cap || now - Oldest->empty_since > KeepFor))
    drop(Oldest, now);
}

void fhi_cache_give(struct fhi_segment *segment, size_t idle, uint32_t now) {
  segment->size = idle;
  segment->empty_since = now;
  segment->previous = NULL;
  segment->next = Newest;
  if (Newest)
    Newest->previous = segment;
  else
    Oldest = segment;
  Newest = segment;
  Held += idle;
  atomic_store_explicit(&fhi_cache_holds, true, memory_order_relaxed);
  fhi_cache_look(now);
}

struct fhi_segment *fhi_cache_take(enum fhi_kind kind, size_t size, bool huge, uint32_t now) {
  for (struct fhi_segment *entry = Newest; entry; entry = entry->next)
    if (entry->kind == kind && entry->huge == huge && entry->mapped >= size && entry->mapped - size <= size / 4) {
      entry_remove(entry);
      CapAt = now; // as large as it is, it is of use
      return entry;
    }
  return NULL;
}

void fhi_cache_missed(size_t size, uint32_t now, uint32_t gave_at) {
  // What another thread let go of was no mistake: that thread may be at its end while this one begins.
  if (Dropped == 0 || now - DroppedAt > KeepFor || now - gave_at > KeepFor)
    return;
  size_t mistake = size < Dropped ? size : Dropped;
  Dropped -= mistake;
  for (Mistakes += mistake; Mistakes >= Cap && Cap <= SIZE_MAX / 4; Cap *= 2)
    Mistakes -= Cap;
  CapAt = now;
}

size_t fhi_cache_drop_all(void) {
  size_t held = Held;
  Cap = BaseCap;
  Dropped = Mistakes = 0;
  while (Oldest) {
    struct fhi_segment *entry = Oldest;
    entry_remove(entry);
    fhi_slots_release(entry);
  }
  return held;
}
