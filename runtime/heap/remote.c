// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// remote.c - shared blocks that another thread frees than the one whose heap they come from, and heaps whose thread is gone.
//
// A thread gathers the blocks of each other heap in an outbox of its own, and hands them over with one compare-and-swap for up to
// 8 KiB. Not the blocks are linked, but the first of them is written full with the addresses of the next: it is a *carrier*. So
// neither side touches most of the blocks, and the owner's walk waits for one cache line of another processor where a linked list
// would have it wait for each block's.
//
//   carrier   a freed block; word 0: number of addresses it carries << 48 | the next carrier; word 1 and on: freed blocks. One of
//             16 bytes carries one address, one of 128 bytes 15. The carrier itself is freed as well.
//   outbox    the carriers that a thread fills for one other heap; a shared heap has a few, found by the other heap's address.
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
//   OWNED -> LEAVING           by the owner; it then flushes its outboxes.
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
#include "threads.h"

#include <errno.h>

enum {
  Gathered = 8192,   // bytes that an outbox holds at most
  GatherMax = 4096,  // a larger block is pushed at once
  CarrierWords = 64, // of a large carrier, that many are used
  CountShift = 48,
  FirstHeapChance = 64, // one in so many frees makes a heap for a thread without: outboxes pay only for threads that free much
};
#define CARRIER_MASK (((uintptr_t)1 << CountShift) - 1)

static struct fhi_outbox *outbox_for(struct fhi_heap *mine, const struct fhi_heap *owner) {
  return &mine->outboxes[(uint32_t)((uintptr_t)owner >> 6) * 0x9e3779b1u >> (32 - FHI_OUTBOX_BITS)];
}

// Hands over a list of carriers; the last one's count is set and its link is zero. visit: the lock is not held.
static FHI_NOINLINE void fhi_remote_push(struct fhi_heap *owner, uintptr_t *first, uintptr_t *last, bool visit) {
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

static void carrier_close(struct fhi_heap *mine, struct fhi_outbox *outbox) {
  uintptr_t count = (uintptr_t)(outbox->place - outbox->first - 1);
  *outbox->first |= count << CountShift;
  fhi_count(&mine->counters.remote_sent, count + 1);
}

static void carrier_open(struct fhi_outbox *outbox, void *p, size_t size) {
  uintptr_t *carrier = p;
  *carrier = (uintptr_t)outbox->first;
  if (!outbox->first)
    outbox->last = carrier;
  outbox->first = carrier;
  outbox->place = carrier + 1;
  outbox->end = carrier + (size < CarrierWords * sizeof(void *) ? size / sizeof(void *) : CarrierWords);
}

// The outbox is empty before anything is called, which may free again.
static void outbox_flush(struct fhi_heap *mine, struct fhi_outbox *outbox, bool visit) {
  struct fhi_heap *owner = outbox->owner;
  if (!owner)
    return;
  uintptr_t *first = outbox->first, *last = outbox->last;
  carrier_close(mine, outbox);
  *outbox = (struct fhi_outbox){0};
  fhi_remote_push(owner, first, last, visit);
}

void fhi_outboxes_flush(struct fhi_heap *heap, bool visit) {
  for (unsigned i = 0; i < FHI_OUTBOXES; ++i)
    outbox_flush(heap, &heap->outboxes[i], visit);
}

// A thread without a heap pushes each block, unless it frees many.
static struct fhi_heap *heap_to_gather(const void *p) {
  struct fhi_heap *mine = fhi_self()->shared;
  if (mine == &fhi_no_heap) {
    if ((uint32_t)((uintptr_t)p >> 4) * 0x9e3779b1u >= UINT32_MAX / FirstHeapChance)
      return NULL;
    int saved = errno;
    mine = fhi_shared_heap();
    errno = saved;
  }
  return mine && atomic_load_explicit(&mine->state, memory_order_relaxed) == FHI_OWNED ? mine : NULL;
}

// Where fhi_free_elsewhere has no place for the block: it is no shared one of a class, or there is no outbox, or one for another
// heap, or its carrier or the outbox itself is full.
static FHI_NOINLINE void free_and_open(void *p, struct fhi_page *page, struct fhi_heap *owner) {
  if (FHI_UNLIKELY(owner == NULL) || FHI_UNLIKELY(!fhi_is_shared(p)) || FHI_UNLIKELY(!fhi_is_block_start(page, p))) {
    fhi_free_slow(p);
    return;
  }
  size_t size = page->block;
  struct fhi_heap *mine = size <= GatherMax ? heap_to_gather(p) : NULL;
  if (!mine || mine == owner) {
    fhi_remote_free(owner, p);
    return;
  }
  struct fhi_outbox *outbox = outbox_for(mine, owner);
  if (outbox->owner == owner && outbox->left >= (ptrdiff_t)size) {
    carrier_close(mine, outbox);
  } else {
    outbox_flush(mine, outbox, true);
    outbox->owner = owner;
    outbox->left = Gathered;
  }
  outbox->left -= (ptrdiff_t)size;
  carrier_open(outbox, p, size);
}

// In an outbox are only blocks of shared heaps; an empty one has no place left.
FHI_NOINLINE void fhi_free_elsewhere(void *p, struct fhi_page *page, struct fhi_heap *mine) {
  struct fhi_heap *owner = fhi_page_owner(page); // or a thread pointer, if the block is local
  struct fhi_outbox *outbox = outbox_for(mine, owner);
  uintptr_t *place = outbox->place;
  ptrdiff_t left = outbox->left - (ptrdiff_t)page->block;
  if (FHI_UNLIKELY(outbox->owner != owner) || FHI_UNLIKELY(place == outbox->end) || FHI_UNLIKELY(left < 0) ||
      FHI_UNLIKELY(!fhi_is_block_start(page, p))) {
    free_and_open(p, page, owner);
    return;
  }
  outbox->left = left;
  outbox->place = place + 1;
  *place = (uintptr_t)p;
}

static size_t take_back(struct fhi_heap *heap, void *p);

// A block that was handed to `heap` but is no block of a class's page of it any more, or never was.
static FHI_NOINLINE size_t take_other(struct fhi_heap *heap, struct fhi_page *page, void *p) {
  struct fhi_heap *owner = fhi_page_owner(page);
  if (!owner && page->state == FHI_PAGE_LARGE && fhi_page_start(page) == p)
    owner = fhi_segment_owner(fhi_segment_of(p));
  if (!owner)
    fhi_stop_double_free(p);
  if (owner == heap) {
    size_t size = page->size;
    fhi_large_free(heap, page);
    return size;
  }
  if (owner == fhi_self()->shared)
    return take_back(owner, p);
  push_one(owner, p, atomic_load_explicit(&heap->state, memory_order_relaxed) != FHI_ORPHAN);
  return FHI_PAGE_SIZE;
}

static size_t take_back(struct fhi_heap *heap, void *p) {
  struct fhi_page *page = fhi_page_of(p);
  if (FHI_UNLIKELY(fhi_page_owner(page) != heap))
    return take_other(heap, page, p);
  size_t size = page->block;
  if (FHI_UNLIKELY(!fhi_push(page, p)))
    fhi_page_trigger(heap, page);
  return size;
}

// A word of a carrier: no address of ours if the program wrote into a block that it had freed.
static inline size_t take_carried(struct fhi_heap *heap, uintptr_t word) {
  if (FHI_UNLIKELY(!fhi_is_shared((void *)word)))
    fhi_stop_double_free((void *)word);
  return take_back(heap, (void *)word);
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
    uintptr_t header = *carrier;
    fhi_count(&heap->counters.remote_received, (header >> CountShift) + 1);
    heap->inbox = (uintptr_t *)(header & CARRIER_MASK);
    for (uintptr_t *place = carrier + 1, *end = place + (header >> CountShift); place < end; ++place)
      walked += take_carried(heap, *place);
    walked += take_carried(heap, (uintptr_t)carrier);
  }
  return walked;
}
