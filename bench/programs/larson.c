// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// larson - after Larson and Krishnan, "Memory Allocation for Long-Running Server Applications", ISMM 1998: blocks live in one
// table, each thread replaces random blocks of its part of the table, then starts its successor, which inherits that part and
// frees blocks that another thread allocated. Before that, one thread alone does the same (the single-threaded part of the
// original) and the table is warmed up in mixed order.
#include "bench.h"
#include <pthread.h>
#include <stdatomic.h>

#define MAX_BLOCKS 1000000

// On cache lines of its own: else it depends on where the linker puts the table whether two threads write the same lines, and the
// time on that more than on the allocator.
struct part {
  _Alignas(128) unsigned char **blocks;
  long *sizes;
  long count, generations;
  uint64_t random;
  unsigned long sum;
};

static long threads = 2, generations = 120, rounds = 50000, chunks = 1000, min_size = 8, max_size = 500;
static unsigned char *blocks[MAX_BLOCKS];
static long sizes[MAX_BLOCKS];
static struct part parts[BENCH_MAX_THREADS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;
static long running;

static long draw(uint64_t *random, long from, long to) { return from + (long)(bench_random(random) % (uint64_t)(to - from + 1)); }

/// One thread alone fills the table and replaces random blocks; leaves it empty.
static unsigned long run_alone(long count, uint64_t random) {
  unsigned long sum = 0;
  for (long i = 0; i < count; i++) {
    sizes[i] = draw(&random, min_size, max_size);
    blocks[i] = malloc((size_t)sizes[i]);
    if (!blocks[i])
      bench_die("out of memory");
    blocks[i][0] = (unsigned char)sizes[i];
  }
  for (long i = 0; i < rounds; i++) {
    long victim = draw(&random, 0, count - 1);
    sum += blocks[victim][0];
    free(blocks[victim]);
    sizes[victim] = draw(&random, min_size, max_size);
    blocks[victim] = malloc((size_t)sizes[victim]);
    if (!blocks[victim])
      bench_die("out of memory");
    blocks[victim][0] = (unsigned char)sizes[victim];
  }
  for (long i = 0; i < count; i++) {
    free(blocks[i]);
    blocks[i] = NULL;
  }
  return sum;
}

/// Fills the table, mixes it and replaces every block four times on average.
static void warm_up(long count, uint64_t random) {
  for (long i = 0; i < count; i++) {
    sizes[i] = draw(&random, min_size, max_size);
    blocks[i] = malloc((size_t)sizes[i]);
    if (!blocks[i])
      bench_die("out of memory");
    blocks[i][0] = (unsigned char)sizes[i];
  }
  for (long left = count; left > 1; left--) {
    long victim = draw(&random, 0, left - 1);
    unsigned char *block = blocks[victim];
    long size = sizes[victim];
    blocks[victim] = blocks[left - 1];
    sizes[victim] = sizes[left - 1];
    blocks[left - 1] = block;
    sizes[left - 1] = size;
  }
  for (long i = 0; i < 4 * count; i++) {
    long victim = draw(&random, 0, count - 1);
    free(blocks[victim]);
    sizes[victim] = draw(&random, min_size, max_size);
    blocks[victim] = malloc((size_t)sizes[victim]);
    if (!blocks[victim])
      bench_die("out of memory");
    blocks[victim][0] = (unsigned char)sizes[victim];
  }
}

static void *exercise_heap(void *arg) {
  struct part *part = arg;
  uint64_t random = part->random;
  unsigned long sum = 0;
  for (long i = 0; i < rounds; i++) {
    long victim = draw(&random, 0, part->count - 1);
    sum += part->blocks[victim][0];
    free(part->blocks[victim]);
    long size = draw(&random, min_size, max_size);
    unsigned char *block = malloc((size_t)size);
    if (!block)
      bench_die("out of memory");
    block[0] = (unsigned char)size;
    part->sizes[victim] = size;
    part->blocks[victim] = block;
  }
  part->random = random;
  part->sum += sum;
  if (--part->generations > 0) {
    pthread_t successor;
    if (pthread_create(&successor, NULL, exercise_heap, part))
      bench_die("cannot start a thread");
    pthread_detach(successor);
    return NULL;
  }
  pthread_mutex_lock(&lock);
  running--;
  pthread_cond_signal(&finished);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(int argc, char **argv) {
  const struct bench_option options[] = {{'t', &threads, 1, BENCH_MAX_THREADS, "threads at a time"},
                                         {'g', &generations, 1, 1000000, "generations of threads"},
                                         {'r', &rounds, 1, 1000000000, "blocks a thread replaces"},
                                         {'n', &chunks, 1, MAX_BLOCKS / BENCH_MAX_THREADS, "blocks of a thread"},
                                         {'m', &min_size, 1, 1 << 20, "smallest block"},
                                         {'M', &max_size, 1, 1 << 20, "largest block"}};
  bench_options(argc, argv, "larson", "a server whose threads free what earlier threads allocated", options, 6);
  if (max_size < min_size) {
    fprintf(stderr, "larson: the largest block is smaller than the smallest\n");
    return 2;
  }
  double start = bench_now();
  unsigned long sum = run_alone(chunks, bench_seed(1));
  warm_up(threads * chunks, bench_seed(2));
  running = threads;
  for (long i = 0; i < threads; i++) {
    pthread_t id;
    parts[i] = (struct part){&blocks[i * chunks], &sizes[i * chunks], chunks, generations, bench_seed(3 + i), 0};
    if (pthread_create(&id, NULL, exercise_heap, &parts[i]))
      bench_die("cannot start a thread");
    pthread_detach(id);
  }
  pthread_mutex_lock(&lock);
  while (running)
    pthread_cond_wait(&finished, &lock);
  pthread_mutex_unlock(&lock);
  for (long i = 0; i < threads; i++)
    sum += parts[i].sum;
  for (long i = 0; i < threads * chunks; i++)
    free(blocks[i]);
  bench_result("larson", (uint64_t)rounds * (uint64_t)(1 + threads * generations), bench_now() - start, sum);
  return 0;
}
