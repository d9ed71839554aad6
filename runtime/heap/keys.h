// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// keys.h - protection keys on local memory; see keys.c.
#ifndef FHI_KEYS_H
#define FHI_KEYS_H

#include "heap.h"

// Keys of ours, as bits; 0: none are in force.
extern FHI_HIDDEN _Atomic(unsigned) fhi_keys;
static inline bool fhi_keys_in_force(void) { return FHI_UNLIKELY(atomic_load_explicit(&fhi_keys, memory_order_relaxed) != 0); }

// False once it is known that there are none.
extern FHI_HIDDEN _Atomic(bool) fhi_keys_tried;
static inline bool fhi_keys_may(void) {
  return !atomic_load_explicit(&fhi_keys_tried, memory_order_relaxed) || fhi_keys_in_force();
}

// The calling thread may touch local memory of `heap` (its own, NULL: it has none), and of nobody else.
FHI_HIDDEN void fhi_keys_enter(struct fhi_heap *heap);
// The same, and somebody checks: from now on keys are in force, if there are any.
FHI_HIDDEN void fhi_keys_join(struct fhi_heap *heap);
// Memory that the heap was given gets its key. false: it cannot; the memory must not be used.
FHI_HIDDEN bool fhi_keys_cover(const struct fhi_heap *heap, void *start, size_t size);
// For the runtime's own work on heaps that are nobody's; closed with what open returned.
FHI_HIDDEN uint32_t fhi_keys_open(void);
FHI_HIDDEN void fhi_keys_close(uint32_t rights);
// A key refused an access. Returns true if it may be tried again now, false if the key is not ours; stops the program if the
// memory is another thread's.
FHI_HIDDEN bool fhi_keys_fault(const void *p, void *context);

#endif
