// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// accounts.c - what heap.h says of each page's accounts holds after all that a thread may do, in any order: of every page of a
// class, `used` is what is neither free, returned, away nor uncarved, each block is one of these once, and the page is in the one
// place where it belongs. (What is lost or given out twice by a wrong account is seen much later, or never.)
#include "heaps.h"
#include "pattern.h"

#include <pthread.h>

enum { Threads = 3, Generations = 4, Rounds = 12000, Slots = 2000, Held = 500, CheckEvery = 512 };

static bool Seen[Threads + 1][FHI_PAGE_SIZE / 16];
static __thread bool *SeenHere;
static _Atomic(unsigned long) Currents, CurrentsWithAway, Full;

static void see(struct fhi_page *page, unsigned index) {
  CHECK(index < page->carved && !SeenHere[index] && !fhi_block_is_away(page, index));
  SeenHere[index] = true;
}

static unsigned free_blocks(struct fhi_page *page) {
  unsigned count = 0;
  for (char *p = page->free; p; p = *(void **)p, ++count) {
    uintptr_t offset = (uintptr_t)(p - fhi_page_start(page));
    CHECK(fhi_page_of(p) == page && offset % page->block == 0);
    see(page, (unsigned)(offset / page->block));
  }
  return count;
}

static unsigned returned_blocks(struct fhi_page *page) {
  unsigned count = 0;
  for (unsigned i = 0; fhi_is_shared(fhi_page_start(page)) && i < page->capacity; ++i)
    if ((fhi_bitmap_of(page)[i / 64] >> (i % 64) & 1) != 0) {
      see(page, i);
      ++count;
    }
  return count;
}

static unsigned away_blocks(const struct fhi_page *page) {
  unsigned count = 0;
  for (unsigned i = 0; i < page->carved; ++i)
    count += fhi_block_is_away(page, i);
  return count;
}

static void check_page(struct fhi_heap *heap, struct fhi_page *page) {
  unsigned current = heap->current[page->class] == page, listed = 0;
  if (page->state == FHI_PAGE_POOLED)
    CHECK(page->used == 0 && page->returned == 0 && !page->full);
  if (page->state != FHI_PAGE_CLASS)
    return;
  memset(SeenHere, 0, sizeof Seen[0]);
  for (struct fhi_page *at = heap->room[page->class]; at; at = at->next)
    listed += at == page;
  unsigned inside = free_blocks(page), returned = returned_blocks(page);
  CHECK(returned == page->returned);
  unsigned out = page->carved - inside - returned - away_blocks(page);
  CHECK(current + listed == !page->full);
  CHECK(page->full ? page->used == 1 && out == page->capacity : page->used == out + current * FHI_CURRENT);
  CHECK(!listed || (out != 0 && (inside || returned || page->away || page->carved < page->capacity)));
  Currents += current;
  CurrentsWithAway += current && page->away != 0;
  Full += page->full;
}

static void check_heap(struct fhi_heap *heap) {
  for (struct fhi_segment *segment = heap->segments; segment; segment = segment->next)
    for (unsigned i = 0; i < FHI_PAGES; ++i)
      check_page(heap, &fhi_pages(segment)[i]);
}

static void check_mine(void) {
  const struct fhi_self *self = fhi_self();
  if (self->shared != &fhi_no_heap)
    check_heap(self->shared);
  for (struct fhi_heap *level = self->local; level != &fhi_no_heap && level; level = level->below)
    check_heap(level);
}

// ---- the work ----

struct item {
  uint32_t size, seed;
  unsigned char bytes[];
};
static _Atomic(struct item *) Exchange[Slots];

static struct item *make(uint64_t *random, bool local) {
  size_t size = sizeof(struct item) + (one_in(random, 4) ? 56 : next(random) % (one_in(random, 16) ? 40000 : 600));
  struct item *item = local ? fh_tls_malloc(size) : fhi_shared_malloc(size);
  CHECK(item);
  *item = (struct item){.size = (uint32_t)size, .seed = (uint32_t)next(random)};
  fill(item->bytes, size < 200 ? size - sizeof *item : 192, item->seed);
  return item;
}

static bool intact(struct item *item) {
  return filled(item->bytes, item->size < 200 ? item->size - sizeof *item : 192, item->seed);
}

static void drop(struct item *item) {
  CHECK(!item || intact(item));
  fhi_free(item);
}

// By a call, or pushed as inlined code does.
static void drop_local(uint64_t *random, struct item *item) {
  struct fhi_self *self = fhi_self();
  CHECK(!item || intact(item));
  if (item && (uintptr_t)item >= self->push_from && item->size <= FH_CLASSED_MAX && one_in(random, 2)) {
    void **head = &self->heads[fh_class_of(item->size)];
    *(void **)item = *head;
    *head = item;
  } else {
    fh_tls_free(item);
  }
}

static void above_a_mark(uint64_t *random, struct item **local) {
  fh_mark_t mark = fh_heap_mark(fh_heap_self());
  for (int i = 0; i < 200; ++i) {
    struct item *young = make(random, true), **old = &local[next(random) % Held];
    if (one_in(random, 2))
      drop_local(random, young);
    drop_local(random, *old);
    *old = NULL;
  }
  if (one_in(random, 4))
    fhi_trim();
  check_mine();
  fh_heap_reset(fh_heap_self(), mark);
}

static void step(uint64_t *random, struct item **shared, struct item **local) {
  unsigned at = (unsigned)(next(random) % Held), what = (unsigned)(next(random) % 1000);
  if (what < 400) {
    drop(atomic_exchange(&Exchange[next(random) % Slots], make(random, false)));
  } else if (what < 700) {
    drop(shared[at]);
    shared[at] = what % 8 ? make(random, false) : NULL;
  } else if (what < 990) {
    drop_local(random, local[at]);
    local[at] = what % 8 ? make(random, true) : NULL;
  } else if (what < 996) {
    for (unsigned end = at + 200 < Held ? at + 200 : Held; at < end; ++at) {
      drop(shared[at]);
      drop_local(random, local[at]);
      shared[at] = local[at] = NULL;
    }
  } else if (what == 996) {
    fhi_trim();
  } else if (what == 997) {
    above_a_mark(random, local);
  }
}

static void *live(void *number) {
  struct item *shared[Held] = {0}, *local[Held] = {0};
  uint64_t random = (uintptr_t)number;
  SeenHere = Seen[(uintptr_t)number % Threads];
  for (int i = 0; i < Rounds; ++i) {
    step(&random, shared, local);
    if (i % CheckEvery == 0)
      check_mine();
  }
  for (int i = 0; i < Held; ++i) {
    drop(shared[i]);
    if (i % 2) // the rest is lost with the thread
      drop_local(&random, local[i]);
  }
  check_mine();
  return NULL;
}

// What ended threads left, and what the caller has.
static void check_all(void) {
  fhi_lock();
  fhi_threads_reap();
  for (struct fhi_heap *heap = fhi_heaps_made(); heap; heap = heap->next_made)
    check_heap(heap);
  fhi_unlock();
}

int main(void) {
  heaps_start();
  SeenHere = Seen[Threads];
  for (uintptr_t generation = 0; generation < Generations; ++generation) {
    pthread_t ids[Threads];
    for (uintptr_t i = 0; i < Threads; ++i)
      CHECK(pthread_create(&ids[i], NULL, live, (void *)(generation * Threads + i)) == 0);
    for (int i = 0; i < Threads; ++i)
      pthread_join(ids[i], NULL);
    check_all();
  }
  for (int i = 0; i < Slots; ++i)
    drop(Exchange[i]);
  fhi_trim();
  check_all();
  CHECK(Currents > 1000 && CurrentsWithAway != 0 && Full != 0); // there was something to see
  return 0;
}
