// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// remote.h - what a thread frees of other heaps' shared blocks: how it is gathered, handed over and taken back. The protocol, and
// the states of a heap: remote.c.
#ifndef FHI_REMOTE_H
#define FHI_REMOTE_H

#include "../os/os.h"

struct fhi_heap;
struct fhi_page;

// Up to 64 blocks of one page that a thread has freed and not handed over yet: bits of one word of the page's bitmap; outbox.c.
struct fhi_gathered {
  uintptr_t word; // the page's descriptor + the word's number; 0: none
  uint64_t bits;
};
// What a thread has made ready to hand over to one other heap.
struct fhi_outbox {
  struct fhi_heap *owner; // NULL: empty
  uintptr_t *first;       // the carrier that is being filled; it links to those filled before
  uintptr_t *last;        // the first one that was filled
  uintptr_t *place, *end; // in the carrier: where the next word goes
  ptrdiff_t left;         // bytes of blocks that may still go into it as addresses
} __attribute__((aligned(64)));
// A carrier's first word: how many words follow << FHI_CARRIER_SHIFT | the next carrier. A word that follows is a block's
// address, with FHI_CARRIED_LOOSE one of many that were freed in no order, or begins a page's bits: the page's start | number of
// the bitmap's word * FHI_CARRIED_WORD | FHI_CARRIED_BITS, then the bits.
enum { FHI_CARRIER_SHIFT = 48, FHI_CARRIED_BITS = 1, FHI_CARRIED_LOOSE = 2, FHI_CARRIED_WORD = 16 };
enum { FHI_GATHERED_BITS = 6, FHI_GATHERED = 1 << FHI_GATHERED_BITS };
// Taken back on a slow path, at most, in bytes; more before a page is taken.
enum { FHI_PORTION = 1 << 15 };
enum { FHI_OUTBOX_BITS = 4, FHI_OUTBOXES = 1 << FHI_OUTBOX_BITS };

// A few bits of a heap's address, which tell heaps apart well.
static inline uint32_t fhi_heap_hash(const struct fhi_heap *heap, unsigned bits) {
  return (uint32_t)((uintptr_t)heap >> 6) * 0x9e3779b1u >> (32 - bits);
}

// Values of fhi_heap.state, for shared heaps; see remote.c.
enum fhi_heap_state { FHI_OWNED, FHI_LEAVING, FHI_ORPHAN, FHI_LOST };

// ---- outbox.c ----
// free() of a block that is not in a page of this thread's. What the fast path knows already: page is p's descriptor, mine the
// thread's shared heap or fhi_no_heap.
FHI_HIDDEN void fhi_free_elsewhere(void *p, struct fhi_page *page, struct fhi_heap *mine);
// Hands over what the heap's thread has gathered for others; visit: the lock is not held, so orphans may be drained at once.
FHI_HIDDEN void fhi_outboxes_flush(struct fhi_heap *heap, bool visit);

// Hands over one block of another heap's page, sooner or later.
FHI_HIDDEN void fhi_outbox_add(struct fhi_heap *heap, struct fhi_page *page, void *p, bool visit);

// ---- remote.c ----
// Hands a list of carriers to its shared heap; the last one's count is set and its link is zero. visit: as above.
FHI_HIDDEN void fhi_remote_push(struct fhi_heap *owner, uintptr_t *first, uintptr_t *last, bool visit);
// Hands one block of any size to its shared heap.
FHI_HIDDEN void fhi_remote_free(struct fhi_heap *owner, void *p);
// Takes back what others freed of heap's, up to about `bytes`; how much it was.
FHI_HIDDEN size_t fhi_remote_drain(struct fhi_heap *heap, size_t bytes);

#endif
