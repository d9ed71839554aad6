// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// slots.c - the two address ranges, 4 MiB a slot. Nothing is reserved: a slot is mapped when it is needed, or a few are
// beforehand (ready.c), exactly where they must lie, and a slot that somebody else's mapping occupies is skipped for ever.
#include "slots.h"
#include "../os/options.h"
#include "cache.h"
#include "hardened.h"
#include "keys.h"
#include "large.h"
#include "threads.h"

#include <errno.h>
#include <string.h>

enum {
  ScarceFrom = 16, // a limited address space is scarce once this part of it is mapped
  CutFrom = 8,     // a huge mapping may be larger by this part of it than it must be
  HugePage = FHI_SLOT_SIZE / 2
};

_Atomic(uint8_t) fhi_slots[FHI_SLOT_COUNT];
_Atomic(bool) fhi_slots_scarce;
// All slots of a kind below this one are taken.
static size_t LowestFree[2];
static size_t MappedBytes, PeakBytes, UnmappedBytes;
// No local slot at or above this one was ever taken.
static size_t LocalEnd;

static struct fhi_segment *slot_header(size_t slot) { return fhi_segment_of(fhi_slot_address(slot)); }

// First of `count` free slots in a row at or after `from`, FHI_SLOT_COUNT if there are none in the kind's range.
static size_t find_run(enum fhi_kind kind, size_t from, size_t count) {
  size_t end = (kind + 1) * FHI_SLOTS_A_KIND, length = 0;
  for (size_t slot = from; slot < end; ++slot) {
    length = fhi_slot_now(slot) == FHI_SLOT_NONE ? length + 1 : 0;
    if (length == count)
      return slot + 1 - count;
  }
  return FHI_SLOT_COUNT;
}

// The slots first: descriptors stay, and what cannot be had must not leave any behind.
static int map_slots(size_t slot, size_t count, size_t size) {
  int error = fhi_os_map_at(fhi_slot_address(slot), size);
  if (error != 0 || fhi_meta_map(slot, count))
    return error;
  fhi_os_unmap(fhi_slot_address(slot), size);
  return ENOMEM;
}

// After EEXIST the slots that are occupied are marked, one by one, and the search goes on.
size_t fhi_slots_map_run(enum fhi_kind kind, size_t size) {
  // A range's first slot is left out. Its first block and that page's descriptor, both in constant use, would have the same bits
  // 6 to 27, by which AMD's processors (Zen) choose a cache line, and drive each other out of the first-level cache at every
  // access: 18 ns for malloc and free instead of 5.
  size_t first = kind * FHI_SLOTS_A_KIND + 1;
  size_t from = LowestFree[kind] > first ? LowestFree[kind] : first;
  while (from < (kind + 1) * FHI_SLOTS_A_KIND && fhi_slot_now(from) != FHI_SLOT_NONE) // foreign ones too
    ++from;
  LowestFree[kind] = from;
  size_t count = (size + FHI_SLOT_SIZE - 1) >> FHI_SLOT_SHIFT;
  for (;;) {
    size_t slot = find_run(kind, from, count);
    if (slot == FHI_SLOT_COUNT)
      return FHI_SLOT_COUNT;
    int error = map_slots(slot, count, size);
    if (error == ENOMEM && fhi_meta_give_up())
      error = map_slots(slot, count, size);
    if (error == 0) {
      if (slot == from)
        LowestFree[kind] = slot + count;
      return slot;
    }
    if (error != EEXIST)
      return FHI_SLOT_COUNT;
    for (size_t i = 0; i < count; ++i) {
      error = fhi_os_map_at(fhi_slot_address(slot + i), FHI_SLOT_SIZE);
      if (error == 0)
        fhi_os_unmap(fhi_slot_address(slot + i), FHI_SLOT_SIZE);
      else if (error == EEXIST)
        fhi_slot_set(slot + i, FHI_SLOT_FOREIGN);
      else if (!fhi_meta_give_up()) // no room even to look: that says nothing of the slot
        return FHI_SLOT_COUNT;
    }
  }
}

void fhi_slot_left(size_t slot, bool gone) {
  size_t *lowest = &LowestFree[slot / FHI_SLOTS_A_KIND];
  fhi_slot_set(slot, gone ? FHI_SLOT_NONE : FHI_SLOT_FOREIGN);
  if (gone && slot < *lowest)
    *lowest = slot;
}

static void set_states(struct fhi_segment *segment, bool used) {
  size_t slot = fhi_slot_of(fhi_segment_start(segment));
  for (size_t i = 0; i < segment->slots; ++i)
    fhi_slot_set(slot + i, !used            ? FHI_SLOT_CACHED
                           : !segment->huge ? FHI_SLOT_SEGMENT
                           : i == 0         ? FHI_SLOT_HUGE
                                            : FHI_SLOT_HUGE_REST);
}

// At each mapping anew, since limits come and go; beside a mapping that costs nothing.
static void look_at_limits(void) {
  size_t limit = fhi_os_address_space();
  if (limit > fhi_options.limit)
    limit = fhi_options.limit;
  bool scarce = limit != SIZE_MAX && MappedBytes > limit / ScarceFrom;
  atomic_store_explicit(&fhi_slots_scarce, scarce, memory_order_relaxed);
}

static void count_mapped(size_t size) {
  MappedBytes += size;
  if (MappedBytes > PeakBytes)
    PeakBytes = MappedBytes;
}

static struct fhi_segment *map_new(enum fhi_kind kind, size_t size, bool huge) {
  look_at_limits();
  if (size > fhi_options.limit || MappedBytes > fhi_options.limit - size)
    return NULL;
  size_t slot = fhi_slots_map_run(kind, size), count = (size + FHI_SLOT_SIZE - 1) >> FHI_SLOT_SHIFT;
  if (slot == FHI_SLOT_COUNT)
    return NULL;
  struct fhi_segment *segment = slot_header(slot);
  *segment = (struct fhi_segment){.kind = (uint8_t)kind, .mapped = size, .slots = (uint32_t)count, .huge = huge};
  for (size_t i = 0; huge && i < count; ++i)
    slot_header(slot + i)->first = (uint32_t)slot;
  count_mapped(size);
  if (kind == FHI_LOCAL && slot + count > LocalEnd)
    LocalEnd = slot + count;
  return segment;
}

static void unmap(struct fhi_segment *segment, bool retire) {
  char *start = fhi_segment_start(segment);
  size_t slot = fhi_slot_of(start), count = segment->slots;
  bool ready = !retire && fhi_ready_purge(segment), gone = ready || fhi_os_unmap(start, segment->mapped);
  MappedBytes -= segment->mapped;
  UnmappedBytes += ready ? 0 : segment->mapped;
  // Zero again, and no memory is lost with retired slots.
  if (!segment->huge && !fhi_os_purge(fhi_pages(segment), FHI_PAGES * sizeof(struct fhi_page)))
    memset(fhi_pages(segment), 0, FHI_PAGES * sizeof(struct fhi_page));
  if (ready)
    fhi_ready_add(slot, 1);
  else
    for (size_t i = 0; i < count; ++i)
      retire ? fhi_slot_set(slot + i, FHI_SLOT_RETIRED) : fhi_slot_left(slot + i, gone);
}

void fhi_slots_release(struct fhi_segment *segment) { unmap(segment, false); }

// A huge mapping out of the cache is as large as it is wanted, or a little more: what lies in slots behind goes back there.
static void cut(struct fhi_segment *segment, size_t size, uint32_t now) {
  if (segment->mapped <= size + size / CutFrom)
    return;
  char *start = fhi_segment_start(segment);
  size_t count = (size + FHI_SLOT_SIZE - 1) >> FHI_SLOT_SHIFT, end = count << FHI_SLOT_SHIFT;
  size_t rest = segment->mapped > end ? segment->mapped - end : 0, gap = segment->mapped - size - rest;
  if (gap != 0 && !fhi_os_unmap(start + size, gap))
    return;
  MappedBytes -= gap;
  UnmappedBytes += gap;
  segment->mapped = size;
  if (rest == 0)
    return;
  size_t slot = fhi_slot_of(start) + count;
  struct fhi_segment *second = slot_header(slot);
  *second = (struct fhi_segment){.kind = segment->kind,
                                 .mapped = rest,
                                 .slots = segment->slots - (uint32_t)count,
                                 .huge = true,
                                 .thp = segment->thp,
                                 .touched_pages = ~(uint64_t)0};
  for (size_t i = 0; i < second->slots; ++i)
    slot_header(slot + i)->first = (uint32_t)slot;
  segment->slots = (uint32_t)count;
  if (rest < HugePage)
    unmap(second, false);
  else
    fhi_cache_give(second, rest, now);
}

static struct fhi_segment *take_cached(enum fhi_kind kind, size_t size, bool huge, uint32_t now) {
  struct fhi_segment *segment = huge ? fhi_cache_take_huge(kind, size, false) : fhi_cache_take_segment(kind);
  if (!segment)
    return NULL;
  if (huge)
    cut(segment, size, now);
  *segment = (struct fhi_segment){.kind = (uint8_t)kind,
                                  .mapped = segment->mapped,
                                  .slots = segment->slots,
                                  .huge = huge,
                                  .thp = segment->thp,
                                  .first = segment->first,
                                  .touched_pages = segment->touched_pages};
  return segment;
}

// Fills a new huge mapping from `have` on with the memory of cached ones that are too small for it: moving a huge page costs a
// hundredth of a new one. Its bytes; whether all of it is mapped still goes to *whole.
static size_t gather(struct fhi_segment *segment, size_t have, uint32_t now, bool *whole) {
  const size_t page = HugePage;
  char *start = fhi_segment_start(segment);
  size_t gathered = 0, left;
  *whole = true;
  for (have = (have + page - 1) & ~(page - 1); have < segment->mapped && (left = segment->mapped - have) >= page;) {
    struct fhi_segment *from = fhi_cache_take_huge((enum fhi_kind)segment->kind, left, true);
    if (!from)
      break;
    cut(from, left, now);
    // Whole huge pages, that the next ones may follow.
    size_t length = from->mapped >= left ? left : left - from->mapped < page ? from->mapped : from->mapped & ~(page - 1);
    bool moved = fhi_os_move(fhi_segment_start(from), start + have, length);
    fhi_slots_release(from);
    if (!moved) { // the place may be unmapped now
      int error = fhi_os_map_at(start + have, length);
      *whole = error == 0 || error == EEXIST;
      break;
    }
    segment->touched_pages = ~(uint64_t)0;
    have += length;
    gathered += length;
  }
  return gathered;
}

static struct fhi_segment *map_huge(const struct fhi_heap *heap, size_t size, size_t content, uint32_t now) {
  struct fhi_segment *segment = map_new((enum fhi_kind)heap->kind, size, true);
  if (!segment)
    return NULL;
  bool whole;
  size_t had = content + gather(segment, content, now, &whole);
  if (!whole) {
    unmap(segment, false);
    return NULL;
  }
  if (had < size)
    fhi_cache_missed(size - had, now, heap->idle.gave_at);
  return segment;
}

static struct fhi_segment *map_segment(const struct fhi_heap *heap, size_t size, bool thp, uint32_t now) {
  fhi_cache_missed(size, now, heap->idle.gave_at);
  enum fhi_kind kind = (enum fhi_kind)heap->kind;
  size_t slot = thp && fhi_ready_may(kind) ? fhi_ready_take() : FHI_SLOT_COUNT;
  if (slot == FHI_SLOT_COUNT)
    return map_new(kind, size, false);
  struct fhi_segment *segment = slot_header(slot);
  *segment = (struct fhi_segment){.kind = (uint8_t)kind, .mapped = size, .slots = 1, .thp = 3};
  count_mapped(size);
  return segment;
}

// Unmaps what is mapped for later. Was there any?
static bool give_up(void) {
  bool held = fhi_cache_holds;
  if (held)
    fhi_cache_drop_all(); // first: some of it may become ready
  return fhi_ready_drop() || held;
}

static struct fhi_segment *map(struct fhi_heap *heap, size_t size, bool huge, bool thp, size_t content) {
  enum fhi_kind kind = (enum fhi_kind)heap->kind;
  fhi_lock();
  fhi_threads_reap();
  uint32_t now = fhi_os_milliseconds();
  fhi_cache_look(now);
  struct fhi_segment *segment = content == 0 ? take_cached(kind, size, huge, now) : NULL;
  if (!segment) {
    segment = huge ? map_huge(heap, size, content, now) : map_segment(heap, size, thp, now);
    if (!segment && give_up())
      segment = map_new(kind, size, huge);
  }
  if (segment && FHI_UNLIKELY(!fhi_keys_cover(heap, fhi_segment_start(segment), segment->mapped))) {
    fhi_slots_release(segment);
    segment = NULL;
  }
  if (segment) {
    segment->heap = heap; // first: who finds the slot in use, by whatever address, finds an owner
    set_states(segment, true);
  }
  fhi_unlock();
  return segment;
}

struct fhi_segment *fhi_slots_map(struct fhi_heap *heap, size_t size, bool huge) { return map(heap, size, huge, false, 0); }

struct fhi_segment *fhi_slots_map_segment(struct fhi_heap *heap, bool thp) { return map(heap, FHI_SLOT_SIZE, false, thp, 0); }

struct fhi_segment *fhi_slots_map_huge(struct fhi_heap *heap, size_t size, size_t content) {
  return map(heap, size, true, false, content);
}

void fhi_slots_unmap(struct fhi_segment *segment, bool retire) {
  fhi_lock();
  if (retire || fhi_hardened()) { // hardened segments have guard pages, and tell frees of what is gone by its absence
    unmap(segment, retire);
  } else if (segment->torn) { // whole huge pages, new ones, are cheaper than the small pages that are missing
    fhi_cache_dropped((size_t)__builtin_popcountll(segment->touched_pages) << FHI_PAGE_SHIFT, fhi_os_milliseconds());
    unmap(segment, false);
  } else {
    set_states(segment, false);
    size_t idle = segment->mapped;
    if (segment->huge) {
      segment->touched_pages = ~(uint64_t)0;
    } else {
      memset(fhi_pages(segment), 0, FHI_PAGES * sizeof(struct fhi_page));
      idle = (size_t)__builtin_popcountll(segment->touched_pages) << FHI_PAGE_SHIFT;
    }
    fhi_cache_give(segment, idle, fhi_os_milliseconds());
  }
  fhi_unlock();
}

struct fhi_segment *fhi_huge_of(const void *p) {
  unsigned state = fhi_slot_state(p);
  if (state != FHI_SLOT_HUGE && state != FHI_SLOT_HUGE_REST)
    return NULL;
  return slot_header(fhi_segment_of(p)->first);
}

bool fhi_slot_retired(const void *p) { return fhi_slot_state(p) == FHI_SLOT_RETIRED; }

void fhi_slots_drop_local(const struct fhi_heap *mine) {
  for (size_t slot = FHI_LOCAL * FHI_SLOTS_A_KIND; slot < LocalEnd; ++slot) {
    uint8_t state = fhi_slot_now(slot);
    if (state != FHI_SLOT_SEGMENT && state != FHI_SLOT_HUGE)
      continue;
    struct fhi_segment *segment = slot_header(slot);
    const struct fhi_heap *heap = segment->heap;
    if (heap->root != mine && !fhi_heap_is_parked(heap))
      fhi_slots_unmap(segment, true);
  }
}

struct fhi_mapped fhi_mapped(void) {
  fhi_lock();
  struct fhi_mapped mapped = {MappedBytes, PeakBytes, UnmappedBytes};
  fhi_unlock();
  return mapped;
}

size_t fhi_mapped_bytes(void) { return fhi_mapped().now; }
