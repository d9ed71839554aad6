// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// remote.c - shared blocks of all sizes, made by one thread and freed by another, contents checked; makers end while their blocks
// live.
#include "../../runtime/heap/hardened.h"
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

// All blocks of a page but the first come back at once, in whatever order neighbours were freed, and once each; they are given
// out again in the order of their addresses, from one of them on, whatever else is taken in between.
// A trim before that takes their order, not them.
static void *free_mixed(void *argument) {
  void **block = argument;
  fhi_free(fhi_shared_malloc(16));
  for (unsigned i = 0; i < 4096; ++i) {
    unsigned mixed = (i & ~63u) | (i * 21 & 63);
    if (mixed != 0 && block[mixed])
      fhi_free(block[mixed]);
  }
  return NULL;
}
static void free_elsewhere(void **block) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, free_mixed, block) == 0);
  pthread_join(thread, NULL);
  fhi_remote_drain(fhi_shared_heap(), SIZE_MAX);
}
static void in_order(size_t size, bool trim) {
  static void *block[4096];
  struct fhi_page *page;
  unsigned count = 0, back = 0, turns = 0;
  memset(block, 0, sizeof block);
  do { // until a page begins, all of whose other carved blocks are in the head
    block[0] = fhi_shared_malloc(size);
    page = fhi_page_of(block[0]);
  } while (block[0] != (void *)fhi_page_start(page) || page->carved != 1 + length_of(fhi_shared_heap()->heads[page->class]));
  for (count = 1; count < page->capacity; ++count) {
    block[count] = fhi_shared_malloc(size);
    CHECK(fhi_page_of(block[count]) == page);
  }
  free_elsewhere(block);
  CHECK(page->returned == count - 1);
  if (trim)
    fhi_heap_trim(fhi_shared_heap());
  CHECK(!trim || page->returned == 0);
  memset(block + 1, 0, sizeof block - sizeof *block);
  char *last = block[0];
  for (unsigned i = 0; i < 100000 && back < count - 1; ++i) {
    char *p = fhi_shared_malloc(size);
    if (fhi_page_of(p) != page)
      continue;
    void **seen = &block[(size_t)(p - (char *)block[0]) / size];
    CHECK(*seen == NULL);
    *seen = p;
    turns += p < last;
    last = p;
    memset(p, (int)i, size);
    ++back;
  }
  CHECK(back == count - 1 && page->returned == 0 && (turns <= 1 || trim));
  free_elsewhere(block);
  CHECK(page->returned == count - 1);
}

// Blocks that are freed in no order at all go one by one. All come back, once each: as many again need no more memory.
enum { Far = 60000 };
// Without static TLS nothing is.
static bool gathers(const struct fhi_heap *heap) {
  bool some = heap->gathering != 0;
  for (unsigned i = 0; i < FHI_OUTBOXES; ++i)
    some |= heap->outboxes[i].owner != NULL;
  return some;
}
static void *free_far(void *argument) {
  void **block = argument;
  unsigned addresses = 0;
  fhi_free(fhi_shared_malloc(16));
  for (unsigned i = 0; i < Far; ++i) {
    fhi_free(block[i * 10007u % Far]);
    addresses += fhi_shared_heap()->addresses != 0;
  }
  CHECK(!gathers(fhi_shared_heap()) || addresses > Far / 2);
  return NULL;
}
static void of_no_order(size_t size) {
  static uintptr_t *block[Far];
  size_t mapped = 0;
  for (int round = 0; round < 3; ++round) {
    pthread_t thread;
    for (uintptr_t i = 0; i < Far; ++i) {
      CHECK((block[i] = fhi_shared_malloc(size)) != NULL);
      *block[i] = i;
    }
    for (uintptr_t i = 0; i < Far; ++i)
      CHECK(*block[i] == i);
    CHECK(round == 0 || fhi_mapped_bytes() <= mapped + (8u << 20)); // a segment or two for the other thread
    mapped = round == 0 ? fhi_mapped_bytes() : mapped;
    CHECK(pthread_create(&thread, NULL, free_far, block) == 0);
    pthread_join(thread, NULL);
  }
}

int main(void) {
  heaps_start();
  if (!fhi_hardened()) {
    for (int trim = 0; trim < 2; ++trim) {
      in_order(16, trim);
      in_order(48, trim);
      in_order(1008, trim);
      in_order(4096, trim);
    }
  }
  come_back();
  of_no_order(400);
  of_no_order(1000);
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
