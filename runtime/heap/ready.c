// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ready.c - slots that are mapped, for huge pages and without memory, for segments to come.
//
// Segments of huge pages are mapped several at a time, and stay mapped when their memory is given back. mmap, munmap and advice
// wait for the page faults in addresses beside those in question, each of which clears 2 MiB; meanwhile the global lock is held,
// and whoever wants it waits with all the memory that it has. Not where address space is limited, nor for mappings that are
// protected by parts.
#include "../os/options.h"
#include "hardened.h"
#include "slots.h"

enum { AtOnce = 8 }; // slots mapped together, and no more are kept

static size_t Count, Lowest; // none that is ready is below Lowest

bool fhi_ready_may(enum fhi_kind kind) {
  return kind == FHI_SHARED && !fhi_hardened() && fhi_options.limit == SIZE_MAX && fhi_os_address_space() == SIZE_MAX;
}

void fhi_ready_add(size_t slot, size_t count) {
  if (Count == 0 || slot < Lowest)
    Lowest = slot;
  Count += count;
  for (size_t i = 0; i < count; ++i)
    fhi_slot_set(slot + i, FHI_SLOT_READY);
}

static size_t take(void) {
  while (fhi_slot_now(Lowest) != FHI_SLOT_READY)
    ++Lowest;
  --Count;
  return Lowest++;
}

size_t fhi_ready_take(void) {
  if (Count == 0) {
    size_t slot = fhi_slots_map_run(FHI_SHARED, AtOnce * FHI_SLOT_SIZE);
    if (slot == FHI_SLOT_COUNT)
      return slot;
    fhi_os_huge_pages(fhi_slot_address(slot), AtOnce * FHI_SLOT_SIZE);
    fhi_ready_add(slot, AtOnce);
  }
  return take();
}

bool fhi_ready_purge(const struct fhi_segment *segment) {
  return !segment->huge && segment->thp == 3 && Count < AtOnce && fhi_ready_may((enum fhi_kind)segment->kind) &&
         fhi_os_purge(fhi_segment_start(segment), FHI_SLOT_SIZE);
}

bool fhi_ready_drop(void) {
  bool any = Count != 0;
  while (Count != 0) {
    size_t slot = take();
    fhi_slot_left(slot, fhi_os_unmap(fhi_slot_address(slot), FHI_SLOT_SIZE));
  }
  return any;
}
