// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cache.c - empty segments and freed huge mappings of all threads, kept for a while: fresh memory costs more than all else here.
//
// What the process keeps is bounded by a cap that adapts, as no thread runs in the background to look after it later. It covers
// what lies here and what was lent to heaps, to be kept as free pages beside their blocks (idle.c). What would exceed the cap is
// unmapped at once, the oldest first, so that a process that falls idle holds little. When memory is needed again that was
// dropped less than a second ago, dropping it was a mistake, and the cap rises by twice that, up to half more than there was
// before the fall: a program that rises and falls pays for one fall. The cap comes down with time, by half each time that a few
// seconds pass in which not half of it was taken out again. What was not needed for a second goes at the next occasion, too.
//
// All under the global lock, but for fhi_cache_holds.
#include "cache.h"

enum { BaseCap = 8 << 20, KeepFor = 1000, HalveEvery = 4000 }; // bytes; milliseconds

static struct fhi_segment *Newest, *Oldest; // linked by next to the older, by previous to the newer one
static size_t Held, Lent, Cap = BaseCap;
// Of the fall that is under way: dropped and not needed again; all that there was before; needed again.
static size_t Dropped, Height, Regret;
static uint32_t DroppedAt;
// Of the few seconds since CapAt: taken out and not given back, now and at most.
static size_t Rise, HighestRise;
static uint32_t CapAt;
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

void fhi_cache_dropped(size_t bytes, uint32_t now) {
  if (now - DroppedAt > KeepFor)
    Dropped = Height = Regret = 0;
  DroppedAt = now;
  Dropped += bytes;
  if (Height < Held + Lent + Dropped)
    Height = Held + Lent + Dropped;
}

static void drop(struct fhi_segment *entry, uint32_t now) {
  entry_remove(entry);
  fhi_cache_dropped(entry->size, now);
  fhi_slots_release(entry);
}

static void keep_to_cap(uint32_t now) {
  while (Oldest && Held + Lent > Cap)
    drop(Oldest, now);
}

void fhi_cache_look(uint32_t now) {
  while (Oldest && now - Oldest->empty_since > KeepFor)
    drop(Oldest, now);
  for (; Cap > BaseCap && now - CapAt > HalveEvery; CapAt += HalveEvery) {
    if (HighestRise < Cap / 2)
      Cap = Cap / 2 > BaseCap ? Cap / 2 : BaseCap;
    Rise = HighestRise = 0;
  }
  keep_to_cap(now);
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
  Rise = Rise > idle ? Rise - idle : 0;
  atomic_store_explicit(&fhi_cache_holds, true, memory_order_relaxed);
  fhi_cache_look(now);
}

static struct fhi_segment *take(struct fhi_segment *entry) {
  if (!entry)
    return NULL;
  entry_remove(entry);
  Rise += entry->size;
  if (HighestRise < Rise)
    HighestRise = Rise;
  return entry;
}

struct fhi_segment *fhi_cache_take_segment(enum fhi_kind kind) {
  struct fhi_segment *entry = Newest;
  while (entry && (entry->huge || entry->kind != kind))
    entry = entry->next;
  return take(entry);
}

// A walk over all that is kept: some hundred entries at most, and beside what huge mappings cost anyway that is nothing.
struct fhi_segment *fhi_cache_take_huge(enum fhi_kind kind, size_t size, bool smaller) {
  struct fhi_segment *best = NULL, *largest = NULL;
  for (struct fhi_segment *entry = Newest; entry; entry = entry->next) {
    if (!entry->huge || entry->kind != kind)
      continue;
    if (entry->mapped >= size && (!best || entry->mapped < best->mapped))
      best = entry;
    if (entry->mapped >= FHI_SLOT_SIZE / 2 && (!largest || entry->mapped > largest->mapped))
      largest = entry;
  }
  return take(!best && smaller ? largest : best);
}

void fhi_cache_missed(size_t size, uint32_t now, uint32_t gave_at) {
  // What another thread let go of was no mistake: that thread may be at its end while this one begins.
  if (Dropped == 0 || now - DroppedAt > KeepFor || now - gave_at > KeepFor)
    return;
  size_t mistake = size < Dropped ? size : Dropped;
  Dropped -= mistake;
  Regret += mistake;
  // More than there was: a cap that is just met would be exceeded by a little again and again.
  size_t wanted = BaseCap + 2 * Regret, most = Height + Height / 2;
  if (wanted > most)
    wanted = most;
  if (Cap < wanted) {
    Cap = wanted;
    CapAt = now;
    Rise = HighestRise = 0;
  }
}

bool fhi_cache_lend(size_t bytes, uint32_t now) {
  if (bytes > Cap || Lent > Cap - bytes)
    return false;
  Lent += bytes;
  keep_to_cap(now);
  return true;
}

void fhi_cache_repay(size_t bytes) { Lent -= bytes < Lent ? bytes : Lent; }

size_t fhi_cache_drop_all(void) {
  size_t held = Held;
  Cap = BaseCap;
  Dropped = Height = Regret = 0;
  while (Oldest) {
    struct fhi_segment *entry = Oldest;
    entry_remove(entry);
    fhi_slots_release(entry);
  }
  return held;
}
