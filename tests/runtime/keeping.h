// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// keeping.h - a thread whose heap keeps what it frees, threads that exchange blocks, and what must be left of all in the end.
#ifndef FREEHOLD_TESTS_KEEPING_H
#define FREEHOLD_TESTS_KEEPING_H

#include "../../runtime/heap/hardened.h"
#include "heaps.h"

#include "freehold/stats.h"

#include <pthread.h>

static inline unsigned next(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static inline void shuffle(void **block, unsigned count, unsigned *state) {
  for (unsigned i = count; i > 1; --i) {
    unsigned other = next(state) % i;
    void *p = block[i - 1];
    block[i - 1] = block[other];
    block[other] = p;
  }
}

static inline void on_thread(void *(*body)(void *), void *argument) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, body, argument) == 0);
  pthread_join(thread, NULL);
}

// Where frees do not reach the fast path nothing is kept: without static TLS, and in the hardened heap.
static bool Keeps;

// ---- a thread that keeps ----

enum { Strange = 3000 };
static void *Strangers[Strange];

static inline void *make_strangers(void *state) {
  for (int i = 0; i < Strange; ++i)
    CHECK((Strangers[i] = fhi_shared_malloc(16 + next(state) % 2000)) != NULL);
  return NULL;
}

// free() by a thread that shall not give up keeping, nor ask anew whether it should, though it takes nothing of what it keeps.
static inline void free_and_keep(struct fhi_heap *heap, void *p) {
  heap->keep.useless = 0;
  heap->keep.events %= 1024;
  fhi_free(p);
}

// From now on it counts what the heap's thread frees of others' and allocates.
static inline void ask_whether_to_keep(struct fhi_heap *heap) {
  heap->keep.wait = 0;
  heap->keep.sent = (uint32_t)heap->counters.remote_sent;
  heap->keep.made = 0;
  for (unsigned class = 0; class < FH_CLASS_COUNT; ++class)
    heap->keep.made += heap->keep.room[class + 1];
  heap->addresses = heap->tried = heap->tried_bits = 0;
}

// The calling thread frees another's blocks in no order, until its heap keeps, and those that are left.
static inline struct fhi_heap *come_to_keep(void) {
  unsigned state = 1;
  struct fhi_heap *heap;
  fhi_free(fhi_shared_malloc(1));
  heap = fhi_shared_heap();
  on_thread(make_strangers, &state);
  shuffle(Strangers, Strange, &state);
  ask_whether_to_keep(heap);
  for (int i = 0; i < Strange; ++i)
    free_and_keep(heap, Strangers[i]);
  CHECK(!Keeps || heap->keep.on);
  return heap;
}

// In a library that is preloaded libc's blocks are here too: those of the start, a few for each thread that it keeps ready, and
// what a trim left of their pages, which counts as live while such a page is current.
static uint64_t AtStart;
#ifdef main
enum { OfLibc = 300 };
#else
enum { OfLibc = 0 };
#endif

static inline uint64_t live_blocks(void) {
  fh_stats_t stats = {.size = sizeof stats, .version = FH_STATS_VERSION};
  CHECK(fh_stats_read(&stats));
  CHECK(stats.shared.live_bytes < (uint64_t)1 << 40 && stats.shared.live_blocks < (uint64_t)1 << 32);
  CHECK((stats.shared.live_blocks == 0) == (stats.shared.live_bytes == 0));
  return stats.shared.live_blocks;
}

// What other threads hold of the freed blocks lies with them until they look; here there are none, or they are over.
static inline void nothing_is_left(size_t mapped) {
  fhi_remote_drain(fhi_shared_heap(), SIZE_MAX);
  fhi_trim();
  CHECK(live_blocks() <= AtStart + OfLibc);
  CHECK(fhi_mapped_bytes() <= mapped);
}

// ---- threads that exchange blocks ----

enum { Slots = 4096, Threads = 4 };
struct item {
  size_t size;
  unsigned seed;
  unsigned char bytes[];
};
static _Atomic(struct item *) Exchange[Slots];

static inline struct item *make_item(unsigned *state) {
  size_t size = sizeof(struct item) + next(state) % (next(state) % 8 == 0 ? 6000 : 600);
  struct item *item = fhi_shared_malloc(size);
  CHECK(item);
  item->size = size - sizeof *item;
  item->seed = next(state);
  fill(item->bytes, item->size, item->seed);
  return item;
}

static inline void free_item(struct item *item) {
  if (!item)
    return;
  CHECK(filled(item->bytes, item->size, item->seed));
  fhi_free(item);
}

static inline void exchange(unsigned *state) { free_item(atomic_exchange(&Exchange[next(state) % Slots], make_item(state))); }

static inline void clear_exchange(void) {
  for (int i = 0; i < Slots; ++i)
    free_item(atomic_exchange(&Exchange[i], NULL));
}

static inline void keeping_start(void) {
  heaps_start();
  fhi_free(fhi_shared_malloc(1));
  AtStart = live_blocks();
  Keeps = !fhi_hardened() && FHI_FAST_PAGES != 0;
}

#endif
