// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// prodcons - blocks go one way: each producer allocates, its consumer frees, nothing comes back. They go through a ring of
// pointers, one by one (-b 1) or as linked batches, so that hardly anything but malloc and free costs time: who finds the ring
// empty or full sleeps until it is half full, and so wakes seldom, and each side looks at the other's counter only where what it
// last saw of it says full or empty. Else the counters' cache lines go to and fro, which costs more than malloc and free do: 4
// million blocks one by one take the ring alone 0.33 s of CPU time so, and 0.08 s as it is. How much is in flight is bounded by
// the ring.
#include "bench.h"
#include <pthread.h>
#include <stdatomic.h>

#define RING_MAX 65536

struct block {
  struct block *next;
  unsigned char size;
};

struct ring {
  _Alignas(64) atomic_ulong written;
  unsigned long seen_taken; // the producer's
  _Alignas(64) atomic_ulong taken;
  unsigned long seen_written; // the consumer's
  _Alignas(64) pthread_mutex_t lock;
  pthread_cond_t changed;
  int closed;
  uint64_t seed, sum;
  struct block **places;
};

static long pairs = 1, blocks = 2000000, batch = 100, places = 64, max_size = 256;
static struct ring rings[BENCH_MAX_THREADS];
static struct block *memory[BENCH_MAX_THREADS][RING_MAX];

static unsigned long filled(struct ring *ring) { return atomic_load(&ring->written) - atomic_load(&ring->taken); }

static void wake(struct ring *ring) {
  pthread_mutex_lock(&ring->lock);
  pthread_cond_signal(&ring->changed);
  pthread_mutex_unlock(&ring->lock);
}

static void put(struct ring *ring, struct block *first) {
  unsigned long at = atomic_load_explicit(&ring->written, memory_order_relaxed), half = (unsigned long)(places + 1) / 2;
  if (at - ring->seen_taken == (unsigned long)places)
    ring->seen_taken = atomic_load_explicit(&ring->taken, memory_order_acquire);
  if (at - ring->seen_taken == (unsigned long)places) {
    pthread_mutex_lock(&ring->lock);
    while (filled(ring) > half)
      pthread_cond_wait(&ring->changed, &ring->lock);
    pthread_mutex_unlock(&ring->lock);
    ring->seen_taken = atomic_load(&ring->taken);
  }
  ring->places[at % (unsigned long)places] = first;
  atomic_store_explicit(&ring->written, at + 1, memory_order_release);
  if ((at + 1) % half == 0)
    wake(ring);
}

/// NULL when the ring is closed and empty.
static struct block *take(struct ring *ring) {
  unsigned long at = atomic_load_explicit(&ring->taken, memory_order_relaxed), half = (unsigned long)(places + 1) / 2;
  if (at == ring->seen_written)
    ring->seen_written = atomic_load_explicit(&ring->written, memory_order_acquire);
  if (at == ring->seen_written) {
    pthread_mutex_lock(&ring->lock);
    while (filled(ring) < half && !ring->closed)
      pthread_cond_wait(&ring->changed, &ring->lock);
    pthread_mutex_unlock(&ring->lock);
    if (filled(ring) == 0)
      return NULL;
    ring->seen_written = atomic_load(&ring->written);
  }
  struct block *first = ring->places[at % (unsigned long)places];
  atomic_store_explicit(&ring->taken, at + 1, memory_order_release);
  if ((at + 1) % half == 0)
    wake(ring);
  return first;
}

static void *produce(void *arg) {
  struct ring *ring = arg;
  uint64_t random = ring->seed;
  for (long done = 0; done < blocks;) {
    struct block *first = NULL;
    for (long i = 0; i < batch && done < blocks; i++, done++) {
      size_t size =
          sizeof(struct block) + (size_t)(bench_random(&random) % (uint64_t)(max_size - (long)sizeof(struct block) + 1));
      struct block *block = malloc(size);
      if (!block)
        bench_die("out of memory");
      block->size = (unsigned char)size;
      block->next = first;
      first = block;
    }
    put(ring, first);
  }
  pthread_mutex_lock(&ring->lock);
  ring->closed = 1;
  pthread_cond_signal(&ring->changed);
  pthread_mutex_unlock(&ring->lock);
  return NULL;
}

static void *consume(void *arg) {
  struct ring *ring = arg;
  uint64_t sum = 0;
  for (struct block *block = take(ring); block; block = take(ring))
    while (block) {
      struct block *next = block->next;
      sum += block->size;
      free(block);
      block = next;
    }
  ring->sum = sum;
  return NULL;
}

int main(int argc, char **argv) {
  static pthread_t ids[2 * BENCH_MAX_THREADS];
  long threads = 2;
  const struct bench_option options[] = {{'t', &threads, 2, BENCH_MAX_THREADS, "threads, half of them producers"},
                                         {'r', &blocks, 1, 1000000000, "blocks of each producer"},
                                         {'b', &batch, 1, 1000000, "blocks in a batch"},
                                         {'l', &places, 2, RING_MAX, "batches that may wait"},
                                         {'M', &max_size, 16, 1 << 20, "largest block"}};
  bench_options(argc, argv, "prodcons", "blocks that one thread allocates and another frees", options, 5);
  uint64_t sum = 0;
  pairs = threads / 2;
  double start = bench_now();
  for (long i = 0; i < pairs; i++) {
    pthread_mutex_init(&rings[i].lock, NULL);
    pthread_cond_init(&rings[i].changed, NULL);
    rings[i].places = memory[i];
    rings[i].seed = bench_seed(i + 1);
    if (pthread_create(&ids[2 * i], NULL, consume, &rings[i]) || pthread_create(&ids[2 * i + 1], NULL, produce, &rings[i]))
      bench_die("cannot start a thread");
  }
  for (long i = 0; i < 2 * pairs; i++)
    pthread_join(ids[i], NULL);
  for (long i = 0; i < pairs; i++)
    sum += rings[i].sum;
  bench_result("prodcons", (uint64_t)pairs * (uint64_t)blocks, bench_now() - start, sum);
  return 0;
}
