// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// xmalloc - after Lever and Boreham's remark that blocks are often freed by another thread than allocated them, in the manner of
// the test known by this name: every thread allocates batches, exchanges each for one of those that wait, whoever made it, and
// frees that. Which one is drawn: if it were the one that waits longest, two threads in step would get their own back, and how
// much of others' a thread frees would be a matter of time (0.13 with one allocator was measured, 0.48 with another).
#include "bench.h"
#include <pthread.h>

#define BATCH 120

struct batch {
  unsigned char *blocks[BATCH];
};

static long threads = 2, rounds = 10000, depth = 4;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct batch **waiting;
static uint64_t total;

/// Small blocks mostly, now and then up to 4 KiB.
static size_t draw_size(uint64_t *random) {
  uint64_t bits = bench_random(random);
  return 1 + (size_t)((bits >> 8) % ((bits & 15) == 0 ? 4096 : (bits & 3) == 0 ? 512 : 128));
}

static struct batch *make(uint64_t *random) {
  struct batch *batch = malloc(sizeof *batch);
  if (!batch)
    bench_die("out of memory");
  for (int i = 0; i < BATCH; i++) {
    size_t size = draw_size(random);
    batch->blocks[i] = malloc(size);
    if (!batch->blocks[i])
      bench_die("out of memory");
    batch->blocks[i][0] = (unsigned char)size;
  }
  return batch;
}

static uint64_t drop(struct batch *batch) {
  uint64_t sum = 0;
  for (int i = 0; i < BATCH; i++) {
    sum += batch->blocks[i][0];
    free(batch->blocks[i]);
  }
  free(batch);
  return sum;
}

/// The batch for one of those that wait.
static struct batch *swap(struct batch *batch, uint64_t *random) {
  struct batch **place = &waiting[(bench_random(random) >> 20) % (uint64_t)(threads * depth)];
  pthread_mutex_lock(&lock);
  struct batch *other = *place;
  *place = batch;
  pthread_mutex_unlock(&lock);
  return other;
}

static void *worker(void *number) {
  uint64_t random = bench_seed((long)(intptr_t)number + 2), sum = 0;
  for (long round = 0; round < rounds; round++)
    sum += drop(swap(make(&random), &random));
  pthread_mutex_lock(&lock);
  total += sum;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(int argc, char **argv) {
  static pthread_t ids[BENCH_MAX_THREADS];
  const struct bench_option options[] = {{'t', &threads, 1, BENCH_MAX_THREADS, "threads"},
                                         {'r', &rounds, 1, 100000000, "batches of each thread"},
                                         {'d', &depth, 1, 100000, "batches that wait for each thread"}};
  bench_options(argc, argv, "xmalloc", "batches of blocks that any thread frees", options, 3);
  uint64_t random = bench_seed(1);
  double start = bench_now();
  waiting = calloc((size_t)(threads * depth), sizeof *waiting);
  if (!waiting)
    bench_die("out of memory");
  for (long i = 0; i < threads * depth; i++)
    waiting[i] = make(&random);
  for (long i = 0; i < threads; i++)
    if (pthread_create(&ids[i], NULL, worker, (void *)(intptr_t)i))
      bench_die("cannot start a thread");
  for (long i = 0; i < threads; i++)
    pthread_join(ids[i], NULL);
  for (long i = 0; i < threads * depth; i++)
    total += drop(waiting[i]);
  free(waiting);
  bench_result("xmalloc", (uint64_t)(threads * (rounds + depth)) * (BATCH + 1), bench_now() - start, total);
  return 0;
}
