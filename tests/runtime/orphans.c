// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// orphans.c - heaps whose thread is gone, in use by everybody at once: short threads leave blocks of all sizes behind; long ones
// free them while others are being reaped, take over their segments, and check the content of every block they meet. The rest is
// freed by a function that exit() calls.
#include "heaps.h"

#include <pthread.h>

enum { Slots = 4096, Kept = 3000, Left = 1500 };
#ifdef FREEHOLD_SANITIZED
enum { ShortThreads = 60 };
#else
enum { ShortThreads = 1000 };
#endif
struct item {
  size_t size;
  unsigned seed;
  unsigned char bytes[];
};
static _Atomic(struct item *) Exchange[Slots];
static _Atomic(int) Done;

static unsigned next(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static struct item *make(unsigned *state) {
  unsigned r = next(state);
  size_t size = r % 499 == 0 ? 300000 + r % 900000 : r % 31 == 0 ? r % 40000 : r % 600;
  struct item *item = fhi_shared_malloc(sizeof *item + size);
  CHECK(item);
  item->size = size < 64 ? size : 64;
  item->seed = r;
  fill(item->bytes, item->size, r);
  return item;
}

static void drop(struct item *item) {
  CHECK(!item || filled(item->bytes, item->size, item->seed));
  fhi_free(item);
}

static void *live_short(void *argument) {
  unsigned state = (unsigned)(uintptr_t)argument;
  for (int i = 0; i < Left; ++i) {
    struct item *item = make(&state);
    if (i % 3 == 0)
      item = atomic_exchange(&Exchange[next(&state) % Slots], item);
    drop(item);
  }
  return NULL;
}

// Fills and empties itself again and again, so that it needs segments, and frees what it finds.
static void *live_long(void *argument) {
  unsigned state = (unsigned)(uintptr_t)argument;
  struct item **kept = calloc(Kept, sizeof *kept);
  while (!atomic_load(&Done)) {
    for (int i = 0; i < Kept; ++i) {
      kept[i] = make(&state);
      if (i % 4 == 0)
        drop(atomic_exchange(&Exchange[next(&state) % Slots], NULL));
    }
    for (int i = 0; i < Kept; ++i)
      drop(kept[i]);
  }
  free(kept);
  return NULL;
}

// A thread hands its last blocks over although it keeps them back a while, and although it frees them in the last round of key
// destructors: the owner gets every one again.
enum { Back = 40 };
static pthread_key_t Late;
struct late {
  int round;
  void **blocks;
};
static void free_late(void *value) {
  struct late *late = value;
  if (++late->round < LAST_ROUND) {
    pthread_setspecific(Late, late);
    return;
  }
  for (int i = 0; i < Back; ++i)
    fhi_free(late->blocks[i]);
}
static void *free_at_end(void *argument) {
  fhi_free(fhi_shared_malloc(100)); // its heap, and our key's destructor comes
  pthread_setspecific(Late, argument);
  return NULL;
}
static void *free_at_once(void *argument) {
  struct late *late = argument;
  fhi_free(fhi_shared_malloc(100));
  for (int i = 0; i < Back; ++i)
    fhi_free(late->blocks[i]);
  return NULL;
}
static void all_come_back(void *(*body)(void *)) {
  enum { Size = 700, Most = 4000 };
  void *blocks[Back];
  static void *got[Most];
  struct late late = {0, blocks};
  for (int i = 0; i < Back; ++i)
    blocks[i] = fhi_shared_malloc(Size);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, body, &late) == 0);
  pthread_join(thread, NULL);
  for (int i = 0; i < 3000; ++i) // under guard others push them out of the quarantine
    fhi_free(fhi_shared_malloc(5000));
  int count = 0, found = 0;
  while (found < Back && count < Most) {
    void *p = got[count++] = fhi_shared_malloc(Size);
    for (int i = 0; i < Back; ++i)
      found += blocks[i] == p;
  }
  CHECK(found == Back);
  while (count > 0)
    fhi_free(got[--count]);
}

// When all threads are gone: what they left, freed as the process ends.
static void drop_all(void) {
  for (int i = 0; i < Slots; ++i)
    drop(atomic_load(&Exchange[i]));
}

static pthread_barrier_t Together;

// So many current pages, all carved.
static void *fill_and_end(void *pages) {
  void *blocks[FHI_PAGE_SIZE / 16];
  for (size_t page = 0; page < (uintptr_t)pages; ++page) {
    size_t size = 1024 - 16 * page, count = FHI_PAGE_SIZE / size;
    for (size_t i = 0; i < count; ++i)
      CHECK((blocks[i] = fhi_shared_malloc(size)) != NULL);
    for (size_t i = 0; i < count; ++i)
      fhi_free(blocks[i]);
  }
  pthread_barrier_wait(&Together);
  return NULL;
}

static unsigned with_current_pages(void) {
  unsigned count = 0;
  fhi_lock();
  fhi_threads_reap();
  for (const struct fhi_heap *heap = fhi_heaps_made(); heap; heap = heap->next_made) {
    bool current = false;
    for (unsigned class = 0; class < FH_CLASS_COUNT; ++class)
      current |= heap->current[class] != NULL;
    count += current && atomic_load(&heap->state) == FHI_ORPHAN;
  }
  fhi_unlock();
  return count;
}

static unsigned left_with_heads(size_t pages) {
  enum { Count = 12 };
  pthread_t threads[Count];
  pthread_barrier_init(&Together, NULL, Count);
  for (int i = 0; i < Count; ++i)
    CHECK(pthread_create(&threads[i], NULL, fill_and_end, (void *)pages) == 0);
  for (int i = 0; i < Count; ++i)
    pthread_join(threads[i], NULL);
  unsigned count = with_current_pages();
  fhi_trim();
  CHECK(with_current_pages() == 0);
  return count;
}

// The heads of a few heaps are left alone when their threads end, for the threads that adopt them; a trim flushes them. A
// hardened heap has no current pages.
static void heads_are_kept(void) {
  const char *mode = getenv("FREEHOLD_CHECK");
  if (mode && strcmp(mode, "off") != 0)
    return;
  CHECK(left_with_heads(1) == 8);  // no more heaps
  CHECK(left_with_heads(30) == 4); // no more than 8 MiB
  CHECK(left_with_heads(48) == 0); // none with so much
}

int main(void) {
  heaps_start();
  heads_are_kept();
  CHECK(atexit(drop_all) == 0);
  fhi_free(fhi_shared_malloc(1)); // our key
  CHECK(pthread_key_create(&Late, free_late) == 0);
  for (int i = 0; i < 10; ++i) {
    all_come_back(free_at_once);
    all_come_back(free_at_end);
  }
  pthread_t long_ones[2];
  for (uintptr_t i = 0; i < 2; ++i)
    CHECK(pthread_create(&long_ones[i], NULL, live_long, (void *)(i + 1)) == 0);
  for (uintptr_t i = 0; i < ShortThreads; i += 2) {
    pthread_t short_ones[2];
    for (uintptr_t t = 0; t < 2; ++t)
      CHECK(pthread_create(&short_ones[t], NULL, live_short, (void *)(i + t + 10)) == 0);
    for (uintptr_t t = 0; t < 2; ++t)
      pthread_join(short_ones[t], NULL);
  }
  atomic_store(&Done, 1);
  for (int i = 0; i < 2; ++i)
    pthread_join(long_ones[i], NULL);
  return 0;
}
