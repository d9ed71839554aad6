// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stress.c [SECONDS]: everything at once. Threads come and go; each allocates, aligns, zeroes, grows and frees blocks of both
// kinds, hands shared ones to others, and checks a seeded pattern in every block it touches. Some end with live local blocks.
#include "heaps.h"

#include <pthread.h>
#include <time.h>

enum { Kept = 600, Slots = 1024, Threads = 4, StepsAThread = 20000 };
struct block {
  unsigned char *bytes;
  size_t size;
  unsigned seed;
};
struct message {
  size_t size;
  unsigned seed;
  unsigned char bytes[];
};
static _Atomic(struct message *) Exchange[Slots];
static _Atomic(unsigned) Seed;

static unsigned next(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 7;
}

static size_t some_size(unsigned *state) {
  unsigned r = next(state);
  if (r % 4096 == 0)
    return next(state) % 6000000;
  if (r % 128 == 0)
    return next(state) % 200000;
  return r % 8 == 0 ? next(state) % 5000 : next(state) % 200;
}

// The pattern covers both ends.
static size_t ends(size_t size) { return size < 64 ? size : 64; }
static void mark(struct block *block) {
  fill(block->bytes, ends(block->size), block->seed);
  fill(block->bytes + block->size - ends(block->size), ends(block->size), block->seed);
}
static void check(const struct block *block) {
  if (block->size < 128) {
    CHECK(filled(block->bytes + block->size - ends(block->size), ends(block->size), block->seed));
    return;
  }
  CHECK(filled(block->bytes, 64, block->seed));
  CHECK(filled(block->bytes + block->size - 64, 64, block->seed));
}

static void make(struct block *block, unsigned *state) {
  bool local = next(state) & 1;
  block->size = some_size(state);
  block->seed = next(state);
  size_t alignment = (size_t)1 << next(state) % 14;
  switch (next(state) % 6) {
  case 0:
    block->bytes = local ? fhi_local_calloc(1, block->size) : fhi_shared_calloc(block->size, 1);
    for (size_t i = 0; i < block->size; i += 97)
      CHECK(block->bytes[i] == 0);
    break;
  case 1:
    block->bytes = local ? fhi_local_aligned(alignment, block->size) : fhi_shared_aligned(alignment, block->size);
    CHECK(((uintptr_t)block->bytes & (alignment - 1)) == 0);
    break;
  default:
    block->bytes = local ? fh_tls_malloc(block->size) : fhi_shared_malloc(block->size);
  }
  CHECK(block->bytes && fh_is_local(block->bytes) == local);
  mark(block);
}

static void grow(struct block *block, unsigned *state) {
  struct block old = *block;
  block->size = some_size(state) + 1;
  block->bytes = fhi_realloc(FHI_SHARED, old.bytes, block->size);
  CHECK(block->bytes);
  size_t common = old.size < block->size ? old.size : block->size;
  CHECK(old.size < 128 || filled(block->bytes, ends(common), old.seed));
  mark(block);
}

static void send(unsigned *state) {
  size_t size = some_size(state);
  struct message *message = fhi_shared_malloc(sizeof *message + size);
  message->size = ends(size);
  message->seed = next(state);
  fill(message->bytes, message->size, message->seed);
  message = atomic_exchange(&Exchange[next(state) % Slots], message);
  CHECK(!message || filled(message->bytes, message->size, message->seed));
  fhi_free(message);
}

static void *work(void *argument) {
  unsigned state = atomic_fetch_add(&Seed, 1) * 2654435761u;
  struct block *kept = fh_tls_calloc(Kept, sizeof *kept);
  for (int step = 0; step < StepsAThread; ++step) {
    struct block *block = &kept[next(&state) % Kept];
    unsigned what = next(&state) % 8;
    if (what == 0) {
      send(&state);
    } else if (!block->bytes) {
      make(block, &state);
    } else if (what == 1) {
      check(block);
      grow(block, &state);
    } else {
      check(block);
      fhi_free(block->bytes);
      block->bytes = NULL;
    }
  }
  bool leave_local = next(&state) & 1;
  for (int i = 0; i < Kept; ++i)
    if (kept[i].bytes && !(leave_local && fh_is_local(kept[i].bytes)))
      fhi_free(kept[i].bytes);
  return argument;
}

int main(int argc, char **argv) {
  heaps_start();
  time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 2);
  unsigned generations = 0;
  long high = 0;
  while (time(NULL) < end) {
    pthread_t threads[Threads];
    for (int i = 0; i < Threads; ++i)
      CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
    for (int i = 0; i < Threads; ++i)
      pthread_join(threads[i], NULL);
    if (++generations == 3)
      high = resident();
  }
  printf("%u generations, resident %ld -> %ld KiB\n", generations, high, resident());
#ifndef FREEHOLD_SANITIZED
  CHECK(resident() < 3 * high + (64 << 10));
#endif
  return 0;
}
