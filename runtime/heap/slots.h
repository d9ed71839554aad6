// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// slots.h - slots by their numbers, and those that are ready. The global lock is held for all of it.
#ifndef FHI_SLOTS_H
#define FHI_SLOTS_H

#include "heap.h"

static inline char *fhi_slot_address(size_t slot) { return (char *)(FHI_BASE + (slot << FHI_SLOT_SHIFT)); }
static inline uint8_t fhi_slot_now(size_t slot) { return atomic_load_explicit(&fhi_slots[slot], memory_order_relaxed); }
// Release, paired with the acquire in fhi_slot_state: who reads that a slot is in use sees its header and its owner.
static inline void fhi_slot_set(size_t slot, uint8_t state) {
  atomic_store_explicit(&fhi_slots[slot], state, memory_order_release);
}

// slots.c: maps a free run; its first slot, FHI_SLOT_COUNT if it cannot.
FHI_HIDDEN size_t fhi_slots_map_run(enum fhi_kind kind, size_t size);
// A slot is nobody's any more; gone: and not mapped.
FHI_HIDDEN void fhi_slot_left(size_t slot, bool gone);

// ready.c: may segments of the kind be ready now? A slot for one, mapped for huge pages and zero; FHI_SLOT_COUNT: none.
FHI_HIDDEN bool fhi_ready_may(enum fhi_kind kind);
FHI_HIDDEN size_t fhi_ready_take(void);
// Gives back the memory of an empty segment whose slot may be ready then, which is up to the caller; false: it may not.
FHI_HIDDEN bool fhi_ready_purge(const struct fhi_segment *segment);
FHI_HIDDEN void fhi_ready_add(size_t slot, size_t count);
// Unmaps what is ready. Was there any?
FHI_HIDDEN bool fhi_ready_drop(void);

#endif
