// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// remote.c - shared blocks of all sizes, made by one thread and freed by another, contents checked; makers end while their blocks
// live.
#include "heaps.h"

#include <pthread.h>

enum { Slots = 512, Threads = 4, Rounds = 60000 };
struct item {
  size_t size;
  unsigned seed;
  unsigned char bytes[];
};
static _Atomic(struct item *) Exchange[Slots];

static unsigned next(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static void *work(void *argument) {
  unsigned state = (unsigned)(uintptr_t)argument;
  for (int i = 0; i < Rounds; ++i) {
    unsigned r = next(&state);
    size_t size = r % 997 == 0 ? 300000 + r % 3000000 : r % 31 == 0 ? r % 40000 : r % 400;
    struct item *item = fhi_shared_malloc(sizeof *item + size);
    CHECK(item);
    item->size = size < 64 ? size : 64;
    item->seed = r;
    fill(item->bytes, item->size, r);
    item = atomic_exchange(&Exchange[next(&state) % Slots], item);
    if (!item)
      continue;
    CHECK(filled(item->bytes, item->size, item->seed));
    fhi_free(item);
  }
  return NULL;
}

// Blocks freed by another thread come back: making and handing over 400 MB takes little address space.
static void *free_batch(void *argument) {
  void **batch = argument;
  for (int i = 0; i < 10000; ++i)
    fhi_free(batch[i]);
  return NULL;
}
static void come_back(void) {
  static void *batch[10000];
  size_t before = fhi_mapped_bytes();
  for (int round = 0; round < 200; ++round) {
    pthread_t thread;
    for (int i = 0; i < 10000; ++i)
      CHECK((batch[i] = fhi_shared_malloc(200)) != NULL);
    CHECK(pthread_create(&thread, NULL, free_batch, batch) == 0);
    pthread_join(thread, NULL);
  }
  CHECK(fhi_mapped_bytes() <= before + (16u << 20));
}

int main(void) {
  heaps_start();
  come_back();
  for (int generation = 0; generation < 4; ++generation) {
    pthread_t threads[Threads];
    for (uintptr_t i = 0; i < Threads; ++i)
      CHECK(pthread_create(&threads[i], NULL, work, (void *)(i + 1 + generation * 10u)) == 0);
    for (int i = 0; i < Threads; ++i)
      pthread_join(threads[i], NULL);
  }
  for (int i = 0; i < Slots; ++i)
    fhi_free(atomic_load(&Exchange[i]));
  return 0;
}
