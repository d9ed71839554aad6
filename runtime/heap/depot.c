// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// depot.c - chains of free blocks, of whatever heaps, on their way from threads that free more of a class to threads that
// allocate more of it (the word is Bonwick and Adams', Magazines and Vmem, USENIX 2001, section 3.1).
//
// A heap that keeps (keep.c) leaves half a head here when that is full, and looks here when it is dry. So blocks change hands by
// the chain, and where threads' shares of a class drift nobody carves new blocks while others have too many. What does not fit
// goes home. A chain's blocks count as out for their pages.
//
// Each class has a depot with a few places and a lock that nobody waits for: where another thread is there just now, a heap does
// without. (Only fork waits.) Model: tests/model/orders (depot).
#include "heap.h"

enum { Most = 8 };

struct depot {
  _Alignas(64) _Atomic(bool) busy;
  _Atomic(uint8_t) count;
  void *chains; // linked by the second words of their first blocks
};
static struct depot Depots[FH_CLASS_COUNT];

static unsigned count_of(struct depot *depot) { return atomic_load_explicit(&depot->count, memory_order_relaxed); }
static void set_count(struct depot *depot, unsigned count) {
  atomic_store_explicit(&depot->count, (uint8_t)count, memory_order_relaxed);
}

// Acquire and release pair with each other: what one thread did with the blocks comes before what the next does.
static bool enter(struct depot *depot) { return !atomic_exchange_explicit(&depot->busy, true, memory_order_acquire); }
static void leave(struct depot *depot) { atomic_store_explicit(&depot->busy, false, memory_order_release); }

bool fhi_depot_give(unsigned class, void *chain) {
  struct depot *depot = &Depots[class];
  if (count_of(depot) == Most || !enter(depot))
    return false;
  bool room = count_of(depot) < Most;
  if (room) {
    ((void **)chain)[1] = depot->chains;
    depot->chains = chain;
    set_count(depot, count_of(depot) + 1);
  }
  leave(depot);
  return room;
}

void *fhi_depot_take(unsigned class) {
  struct depot *depot = &Depots[class];
  if (count_of(depot) == 0 || !enter(depot))
    return NULL;
  void *chain = depot->chains;
  if (chain) {
    depot->chains = ((void **)chain)[1];
    set_count(depot, count_of(depot) - 1);
  }
  leave(depot);
  return chain;
}

void fhi_depot_empty(struct fhi_heap *heap) {
  for (unsigned class = 0; class < FH_CLASS_COUNT; ++class) {
    void *chain;
    for (unsigned i = 0; i < Most && (chain = fhi_depot_take(class)) != NULL; ++i)
      fhi_keep_send(heap, chain);
  }
  if (heap != &fhi_no_heap)
    fhi_outboxes_flush(heap, true);
}

void fhi_depot_hold(bool hold) {
  for (unsigned class = 0; class < FH_CLASS_COUNT; ++class)
    if (!hold)
      leave(&Depots[class]);
    else
      while (!enter(&Depots[class]))
        fhi_os_yield();
}

void fhi_depot_each(void (*each)(void *chain)) {
  for (unsigned class = 0; class < FH_CLASS_COUNT; ++class) {
    if (count_of(&Depots[class]) == 0 || !enter(&Depots[class]))
      continue;
    for (void **chain = Depots[class].chains; chain; chain = chain[1])
      each(chain);
    leave(&Depots[class]);
  }
}
