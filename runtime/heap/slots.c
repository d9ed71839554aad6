// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// slots.c - the two address ranges, 4 MiB a slot. Nothing is reserved: a slot is mapped when it is needed, exactly where it must
// lie, and a slot that somebody else's mapping occupies is skipped for ever.
#include "../os/options.h"
#include "heap.h"
#include "threads.h"

#include <errno.h>

_Atomic(uint8_t) fhi_slots[FHI_SLOT_TABLE];
#define FIRST_SLOT (FH_LOCAL_BASE >> FHI_SLOT_SHIFT)
// Huge mappings: for each slot the first one. Touched only where there are some.
static uint32_t HugeFirst[FHI_SLOT_COUNT];
// All slots of a kind below this one are taken.
static size_t LowestFree[2];
static size_t MappedBytes;
// No local slot at or above this one was ever taken.
static size_t LocalEnd;

static uint8_t slot_state(size_t slot) { return atomic_load_explicit(&fhi_slots[FIRST_SLOT + slot], memory_order_relaxed); }

// Release, paired with nothing stronger than the program's own hand-over of a block: readers look up blocks they were given.
static void set_state(size_t slot, uint8_t state) {
  atomic_store_explicit(&fhi_slots[FIRST_SLOT + slot], state, memory_order_release);
}

static struct fhi_segment *slot_address(size_t slot) { return (struct fhi_segment *)(FH_LOCAL_BASE + (slot << FHI_SLOT_SHIFT)); }

// First of `count` free slots in a row at or after `from`, FHI_SLOT_COUNT if there are none in the kind's range.
static size_t find_run(enum fhi_kind kind, size_t from, size_t count) {
  size_t end = (kind + 1) * FHI_SLOTS_A_KIND, length = 0;
  for (size_t slot = from; slot < end; ++slot) {
    length = slot_state(slot) == FHI_SLOT_NONE ? length + 1 : 0;
    if (length == count)
      return slot + 1 - count;
  }
  return FHI_SLOT_COUNT;
}

// Maps a free run. After EEXIST the slots that are occupied are marked, one by one, and the search goes on.
static struct fhi_segment *map_run(enum fhi_kind kind, size_t count, bool huge) {
  size_t from = LowestFree[kind] > kind * FHI_SLOTS_A_KIND ? LowestFree[kind] : kind * FHI_SLOTS_A_KIND;
  for (;;) {
    size_t slot = find_run(kind, from, count);
    if (slot == FHI_SLOT_COUNT)
      return NULL;
    int error = fhi_os_map_at(slot_address(slot), count << FHI_SLOT_SHIFT);
    if (error == 0) {
      if (slot == from)
        LowestFree[kind] = slot + count;
      for (size_t i = 0; i < count; ++i) {
        if (huge)
          HugeFirst[slot + i] = (uint32_t)slot;
        set_state(slot + i, !huge ? FHI_SLOT_SEGMENT : i == 0 ? FHI_SLOT_HUGE : FHI_SLOT_HUGE_REST);
      }
      return slot_address(slot);
    }
    if (error != EEXIST)
      return NULL;
    for (size_t i = 0; i < count; ++i) {
      if (fhi_os_map_at(slot_address(slot + i), FHI_SLOT_SIZE) == 0)
        fhi_os_unmap(slot_address(slot + i), FHI_SLOT_SIZE);
      else
        set_state(slot + i, FHI_SLOT_FOREIGN);
    }
  }
}

struct fhi_segment *fhi_slots_map(enum fhi_kind kind, size_t count, bool huge) {
  struct fhi_segment *segment = NULL;
  fhi_lock();
  fhi_threads_reap();
  size_t size = count << FHI_SLOT_SHIFT;
  if (size <= fhi_options.limit && MappedBytes <= fhi_options.limit - size)
    segment = map_run(kind, count, huge);
  if (segment) {
    MappedBytes += size;
    segment->kind = (uint8_t)kind;
    size_t end = fhi_slot_of(segment) + count;
    if (kind == FHI_LOCAL && end > LocalEnd)
      LocalEnd = end;
  }
  fhi_unlock();
  return segment;
}

void fhi_slots_unmap(struct fhi_segment *first, size_t count, bool retire) {
  size_t slot = fhi_slot_of(first);
  enum fhi_kind kind = slot < FHI_SLOTS_A_KIND ? FHI_LOCAL : FHI_SHARED;
  fhi_lock();
  fhi_os_unmap(first, count << FHI_SLOT_SHIFT);
  MappedBytes -= count << FHI_SLOT_SHIFT;
  for (size_t i = 0; i < count; ++i)
    set_state(slot + i, retire ? FHI_SLOT_RETIRED : FHI_SLOT_NONE);
  if (!retire && slot < LowestFree[kind])
    LowestFree[kind] = slot;
  fhi_unlock();
}

struct fhi_segment *fhi_huge_of(const void *p) {
  size_t slot = fhi_slot_of(p);
  if (slot >= FHI_SLOT_COUNT)
    return NULL;
  uint8_t state = slot_state(slot);
  if (state != FHI_SLOT_HUGE && state != FHI_SLOT_HUGE_REST)
    return NULL;
  return slot_address(HugeFirst[slot]);
}

bool fhi_slot_retired(const void *p) {
  size_t slot = fhi_slot_of(p);
  return slot < FHI_SLOT_COUNT && slot_state(slot) == FHI_SLOT_RETIRED;
}

void fhi_slots_drop_local(const struct fhi_heap *mine) {
  for (size_t slot = 0; slot < LocalEnd; ++slot) {
    uint8_t state = slot_state(slot);
    struct fhi_segment *segment = slot_address(slot);
    if ((state != FHI_SLOT_SEGMENT && state != FHI_SLOT_HUGE) || segment->heap == mine || fhi_heap_is_parked(segment->heap))
      continue;
    size_t count = 1;
    if (state == FHI_SLOT_HUGE)
      while (slot + count < LocalEnd && slot_state(slot + count) == FHI_SLOT_HUGE_REST)
        ++count;
    fhi_slots_unmap(segment, count, true);
  }
}

size_t fhi_mapped_bytes(void) {
  fhi_lock();
  size_t bytes = MappedBytes;
  fhi_unlock();
  return bytes;
}
