// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// keys.c - the owner check in code that we did not compile: a thread's local memory has a protection key, and only that thread
// has the right to touch what has it. In force where the processor and the kernel have keys (fhi_os_keys_take) and somebody
// checks: FREEHOLD_CHECK, or code compiled with the owner check; FREEHOLD_KEYS=0 leaves them out.
//
//   heap      has its key as long as it lives, whoever owns it; all levels have the first one's. There are 15 keys: from the 16th
//             heap on two share one, and what they do to each other goes unseen.
//   segment   gets the key of the heap that takes it (slots.c).
//   thread    has the rights it inherited from the one that made it, until it makes its first heap of either kind: then its own
//             only. A thread that never does may touch what its creator might.
//   signal    a handler begins with the kernel's default, no right at all. Its first access of its thread's memory is refused,
//             and allowed by the handler of SIGSEGV, which changes the rights in the frame that it returns to.
//   runtime   opens all where it works on heaps that are nobody's (reap, trim). Descriptors have no key.
//
// Keys that the program itself uses stay as they are.
#include "keys.h"
#include "../os/options.h"
#include "hard.h"
#include "threads.h"

#include <unistd.h>

_Atomic(unsigned) fhi_keys;
_Atomic(bool) fhi_keys_tried;
static unsigned Last; // key that was given to a heap; under the global lock

// Takes the keys if nobody tried before. The global lock is held.
static void start(void) {
  if (!atomic_load_explicit(&fhi_keys_tried, memory_order_relaxed)) {
    if (fhi_options_keys(environ))
      atomic_store_explicit(&fhi_keys, fhi_os_keys_take(), memory_order_relaxed);
    atomic_store_explicit(&fhi_keys_tried, true, memory_order_relaxed);
  }
}

static unsigned ours(void) { return atomic_load_explicit(&fhi_keys, memory_order_relaxed); }

// The next one in turn.
static uint8_t choose(void) {
  do
    Last = (Last + 1) % 16;
  while ((ours() >> Last & 1) == 0);
  return (uint8_t)Last;
}

// What a heap had before it got its key. Where this fails there is memory without a key, which all may touch.
static void cover_all(struct fhi_heap *root) {
  for (struct fhi_heap *level = root; level; level = level->above) {
    for (struct fhi_segment *segment = level->segments; segment; segment = segment->next)
      fhi_keys_cover(level, fhi_segment_start(segment), segment->mapped);
    for (struct fhi_segment *segment = level->huge; segment; segment = segment->next)
      fhi_keys_cover(level, fhi_segment_start(segment), segment->mapped);
  }
}

void fhi_keys_enter(struct fhi_heap *heap) {
  if (!fhi_keys_in_force())
    return;
  if (heap && heap->root->key == 0) {
    fhi_lock();
    heap->root->key = choose();
    fhi_unlock();
    cover_all(heap->root);
  }
  fhi_os_keys_allow(ours(), heap ? 1u << heap->root->key : 0);
}

FHI_NOINLINE void fhi_keys_join(struct fhi_heap *heap) {
  if (!fhi_keys_may())
    return;
  fhi_lock();
  start();
  fhi_unlock();
  if (!fhi_keys_in_force())
    return;
  fhi_guard_handler();
  fhi_keys_enter(heap);
}

bool fhi_keys_cover(const struct fhi_heap *heap, void *start, size_t size) {
  return !fhi_keys_in_force() || heap->kind != FHI_LOCAL || fhi_os_key_set(start, size, heap->root->key);
}

uint32_t fhi_keys_open(void) { return fhi_keys_in_force() ? fhi_os_keys_allow(0, ours()) : 0; }

void fhi_keys_close(uint32_t rights) {
  if (fhi_keys_in_force())
    fhi_os_keys_restore(rights);
}

bool fhi_keys_fault(const void *p, void *context) {
  unsigned state = fhi_slot_state(p);
  if (!fhi_keys_in_force() || !fhi_in_local_range(p) ||
      (state != FHI_SLOT_SEGMENT && state != FHI_SLOT_HUGE && state != FHI_SLOT_HUGE_REST))
    return false;
  const struct fhi_segment *segment = state == FHI_SLOT_SEGMENT ? fhi_segment_of(p) : fhi_huge_of(p);
  const struct fhi_heap *heap = segment ? segment->heap : NULL; // NULL: its owner gave it up just now
  if (heap && fhi_is_mine(heap) && fhi_os_keys_allow_in(context, 1u << heap->root->key))
    return true;
  bool write;
  const void *place = fhi_os_fault_place(context, &write);
  fhi_stop_foreign_access(p, place, write);
}
