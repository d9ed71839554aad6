// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// remote.c - shared blocks that another thread frees than the one whose heap they come from, and heaps whose thread is gone.
//
// A thread gathers what it frees of others (outbox.c), and hands it over with one compare-and-swap for up to 32 KiB. Not the
// blocks are linked, but a few of them are written full with where the others are: they are *carriers*. So neither side touches
// most of the blocks: the owner's walk waits for few cache lines of another processor, where a linked list would have it wait for
// each block's. The owner sets a bit for each in its page's bitmap; page.c links the blocks when it needs them, in the order of
// their addresses. Blocks that are freed in no order are worth neither: they are carried as addresses, and linked at once. Some
// are not sent at all: what a thread keeps for its own use (keep.c) counts here as a block that the program holds.
//
//   carrier   a freed block; word 0: how many words follow << 48 | the next carrier. Those that follow: the address of a freed
//             block, or the start of a page with a mark and the number of a word of its bitmap, and behind it up to 64 blocks as
//             bits of that word. The carrier itself is freed as well.
//   gathered  words of bitmaps, with the bits of the blocks that a thread has freed and not put into an outbox yet.
//   outbox    the carriers that a thread fills for one other heap; a shared heap has a few, found by the other heap's address.
//             What is gathered counts as part of it: it is flushed with it.
//   remote    heap->remote: all that others handed over. A stack of carriers: pushed by compare-and-swap, taken whole by an
//             exchange, so that no address is compared that could have come back (ABA).
//   inbox     heap->inbox: carriers taken from `remote` and not walked yet.
//
// States of a shared heap (heap->state; local heaps have no `remote` and take no part).
//
//   OWNED     its plain fields, outboxes and inbox, its segments and their descriptors are one thread's alone.
//   LEAVING   the same; that thread's key destructor has run. Its outboxes are empty and stay so: each free is pushed at once.
//   ORPHAN    the thread is gone. All of it belongs to who holds the global lock. Its heads are empty and no page is current, but
//             for the few that keep them (orphans.c); those are flushed before a segment is taken from them.
//   LOST      in a forked child: the thread stayed behind, perhaps in the middle of a change. Nobody reads or writes anything but
//             `remote`; what is pushed stays there. That is bounded by what was live at the fork.
//
//   ORPHAN -> OWNED            adopt: by the new owner, under the lock. A new heap begins as OWNED.
//   OWNED -> LEAVING           by the owner; it then flushes its outboxes, and its heads if others' blocks are in them.
//   OWNED, LEAVING -> ORPHAN   reap: under the lock, once the thread's life line is broken, which is the acquire of all that the
//                              thread did. (OWNED: a heap made after the last round of key destructors was never marked.)
//   OWNED, LEAVING -> LOST     in the child, for all threads but the forking one. Orphans are consistent: the lock is held.
//
// Pushing. The compare-and-swap releases (pairs with the exchange in fhi_remote_drain): what this thread did with the blocks,
// and the carriers' words, come before the owner's reuse. Then the pusher loads the state: where it reads LEAVING or ORPHAN it
// visits, that is, takes the lock, reaps if it can, and drains an orphan and gives back what is empty in it. The reaper stores
// ORPHAN and then looks at `remote`. Both sides write one variable and read the other, so all four are seq_cst: either the pusher
// sees the orphan or the reaper the push. The holder of the lock works in portions and does not visit what it pushes on itself;
// it leaves a note (MayWait in orphans.c), and each visit, reap and search for a segment goes on with what waits for any orphan.
// So no batch is left with an orphan that nobody is to look at.
//
// Draining. By the owner on malloc's slow path, in portions; more of it before the heap takes fresh memory, so that what waits
// shrinks whenever the heap grows.
//
// Reclaiming. A thread that needs a segment takes one with room from an orphan, under the lock: it moves the pages to its own
// lists and stores its own heap as theirs. A free that read the old owner goes to the old owner's list; who drains that sees that
// the page is another heap's and forwards the block.
//
// Why the owner's plain writes are safe. A page's owner changes away from X only under the lock, while X is an orphan. A thread
// that owns X took it under the lock, after all such changes, and while it owns X there are none: where it reads X as a page's
// owner, nobody else writes that page. Any other name may be out of date and costs a hop: who drains the list it led to reads a
// value at least as new as the pusher's. A block in an outbox, in `remote` or in an inbox counts as used, so its page stays.
//
// Models: tests/model/remote.pml (the protocol), tests/model/orders (memory orders: hand_over, orphan, reclaim).
#include "fast.h"
#include "large.h"
#include "threads.h"

#define CARRIER_MASK (((uintptr_t)1 << FHI_CARRIER_SHIFT) - 1)

FHI_NOINLINE void fhi_remote_push(struct fhi_heap *owner, uintptr_t *first, uintptr_t *last, bool visit) {
  uintptr_t count = *last;
  uintptr_t old = atomic_load_explicit(&owner->remote, memory_order_relaxed);
  do {
    *last = count | old;
  } while (
      !atomic_compare_exchange_weak_explicit(&owner->remote, &old, (uintptr_t)first, memory_order_seq_cst, memory_order_relaxed));
  unsigned state = atomic_load_explicit(&owner->state, memory_order_seq_cst);
  if (FHI_LIKELY(state != FHI_LEAVING && state != FHI_ORPHAN))
    return;
  if (visit)
    fhi_orphan_visit(owner);
  else
    fhi_orphans_may_wait();
}

static void push_one(struct fhi_heap *owner, void *p, bool visit) {
  *(uintptr_t *)p = 0;
  fhi_remote_push(owner, p, p, visit);
}

void fhi_remote_free(struct fhi_heap *owner, void *p) {
  fhi_count_sent();
  push_one(owner, p, true);
}

// Blocks of a page of the heap's, bits of one word of its bitmap, are free again; their bytes, 0 if one of them is none that is
// out.
static inline size_t put_back(struct fhi_heap *heap, struct fhi_page *page, unsigned number, uint64_t bits) {
  uint64_t *word = &fhi_bitmap_of(page)[number], old = *word;
  unsigned count = (unsigned)__builtin_popcountll(bits), top = 63u - (unsigned)__builtin_clzll(bits);
  size_t size = page->block, latest = (uintptr_t)page->free - ((uintptr_t)fhi_page_start(page) + 64 * number * size);
  if (FHI_UNLIKELY((old & bits) != 0) || FHI_UNLIKELY(number * 64 + top >= page->carved))
    return 0;
  if (FHI_UNLIKELY(latest < 64 * size) && (bits >> (latest / size) & 1) != 0)
    return 0; // the block that its owner freed last
  *word = old | bits;
  page->returned += (uint16_t)count;
  page->used -= count;
  fhi_count(&heap->counters.remote_received, count);
  if (FHI_UNLIKELY(page->full) || FHI_UNLIKELY(page->used == 0))
    fhi_page_returned(heap, page, count);
  return count * size;
}

static size_t take_other(struct fhi_heap *heap, struct fhi_page *page, void *p);

// A block of no order: into its page's list at once. What was freed last is used first, while caches have it.
static inline size_t take_loose(struct fhi_heap *heap, void *p) {
  struct fhi_page *page = fhi_page_of(p);
  if (FHI_UNLIKELY(fhi_page_owner(page) != heap))
    return take_other(heap, page, p);
  uint64_t product = ((uintptr_t)p & (FHI_PAGE_SIZE - 1)) * (uint64_t)page->inverse;
  unsigned index = (unsigned)(product >> 32);
  if (FHI_UNLIKELY(index >= page->carved) ||
      (page->returned != 0 && FHI_UNLIKELY((fhi_bitmap_of(page)[index / 64] >> (index % 64) & 1) != 0)))
    fhi_stop_double_free(p);
  size_t size = page->block;
  fhi_count(&heap->counters.remote_received, 1);
  if (FHI_UNLIKELY(!fhi_push(page, p)))
    fhi_page_trigger(heap, page);
  return size;
}

// A block that was handed to `heap`; its size.
static inline size_t take_back(struct fhi_heap *heap, void *p) {
  struct fhi_page *page = fhi_page_of(p);
  if (FHI_UNLIKELY(fhi_page_owner(page) != heap))
    return take_other(heap, page, p);
  // One multiplication yields the block's index and whether one starts there.
  uint64_t product = ((uintptr_t)p & (FHI_PAGE_SIZE - 1)) * (uint64_t)page->inverse;
  unsigned index = (unsigned)(product >> 32);
  size_t size = 0;
  if (FHI_LIKELY((uint32_t)product < page->inverse))
    size = put_back(heap, page, index / 64, (uint64_t)1 << (index % 64));
  if (FHI_UNLIKELY(size == 0))
    fhi_stop_double_free(p);
  return size;
}

// A block that was handed to `heap` but is no block of a class's page of it any more, or never was.
static FHI_NOINLINE size_t take_other(struct fhi_heap *heap, struct fhi_page *page, void *p) {
  struct fhi_heap *owner = fhi_page_owner(page);
  struct fhi_block block;
  if (!owner && fhi_block_at(p, &block) && block.page && block.start == p)
    owner = fhi_segment_owner(block.segment);
  if (!owner)
    fhi_stop_double_free(p);
  if (owner == heap) {
    fhi_count(&heap->counters.remote_received, 1);
    fhi_large_free(heap, block.page, p);
    return block.size;
  }
  if (owner == fhi_self()->shared)
    return take_back(owner, p);
  push_one(owner, p, atomic_load_explicit(&heap->state, memory_order_relaxed) != FHI_ORPHAN);
  return FHI_PAGE_SIZE;
}

// Blocks of one word of a page's bitmap that were handed to `heap`; their bytes.
static size_t take_back_bits(struct fhi_heap *heap, uintptr_t word, uint64_t bits) {
  char *start = (char *)(word & ~(FHI_PAGE_SIZE - 1));
  unsigned number = (unsigned)(word / FHI_CARRIED_WORD) % FHI_BITMAP_WORDS;
  struct fhi_page *page = fhi_page_of(start);
  if (FHI_UNLIKELY(bits == 0))
    fhi_stop_double_free(start);
  if (FHI_LIKELY(fhi_page_owner(page) == heap)) {
    size_t bytes = put_back(heap, page, number, bits);
    if (FHI_LIKELY(bytes != 0))
      return bytes;
  }
  // Another heap's, or one of them was freed twice: one by one.
  size_t size = page->block, bytes = 0;
  for (; bits != 0; bits &= bits - 1)
    bytes += take_back(heap, start + (number * 64 + (size_t)__builtin_ctzll(bits)) * size);
  return bytes;
}

// A word of a carrier is no address of ours if the program wrote into a block that it had freed.
static inline size_t take_carried(struct fhi_heap *heap, uintptr_t **place) {
  uintptr_t word = *(*place)++;
  if (FHI_UNLIKELY(!fhi_is_shared((void *)word)))
    fhi_stop_double_free((void *)word);
  if ((word & FHI_CARRIED_LOOSE) != 0)
    return take_loose(heap, (void *)(word - FHI_CARRIED_LOOSE));
  return (word & FHI_CARRIED_BITS) != 0 ? take_back_bits(heap, word, *(*place)++) : take_back(heap, (void *)word);
}

size_t fhi_remote_drain(struct fhi_heap *heap, size_t bytes) {
  size_t walked = 0;
  while (walked < bytes) {
    uintptr_t *carrier = heap->inbox;
    if (!carrier) {
      if (atomic_load_explicit(&heap->remote, memory_order_seq_cst) == 0)
        break;
      carrier = (uintptr_t *)atomic_exchange_explicit(&heap->remote, 0, memory_order_seq_cst);
    }
    uintptr_t header = *carrier, *place = carrier + 1, *end = place + (header >> FHI_CARRIER_SHIFT);
    heap->inbox = (uintptr_t *)(header & CARRIER_MASK);
    if (heap->inbox) {
      __builtin_prefetch(heap->inbox); // another processor wrote it
      if (FHI_UNLIKELY(!fhi_is_shared(heap->inbox)))
        fhi_stop_double_free(carrier);
    }
    if (place < end && FHI_UNLIKELY((char *)end > (char *)carrier + fhi_page_of(carrier)->block))
      fhi_stop_double_free(carrier); // the program wrote into it: what it says lies outside of it
    while (place < end)
      walked += take_carried(heap, &place);
    walked += take_back(heap, carrier);
  }
  return walked;
}
