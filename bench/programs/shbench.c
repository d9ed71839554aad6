// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// shbench - in the manner of MicroQuill's SmartHeap benchmark (sh6bench), from its published description: every thread keeps
// batches of blocks of mixed sizes, small ones far more often than large ones, and frees them in mixed order: some of each batch
// newest first, some oldest first, and every third one survives into a later batch.
#include "bench.h"
#include <pthread.h>
#include <stdatomic.h>

static long threads = 2, rounds = 12000, batch = 1000, min_size = 1, max_size = 1000;
static atomic_ulong total;

/// Half of all sizes lie in the lowest 1/32 of the range, a quarter in the lowest 1/16, and so on.
static size_t draw_size(uint64_t *random) {
  uint64_t bits = bench_random(random);
  long span = (max_size - min_size + 1) >> 5;
  while (span < max_size - min_size + 1 && (bits & 1)) {
    span = span * 2 + 1;
    bits >>= 1;
  }
  if (span > max_size - min_size + 1)
    span = max_size - min_size + 1;
  return (size_t)(min_size + (long)((bits >> 8) % (uint64_t)(span ? span : 1)));
}

static void *worker(void *number) {
  uint64_t random = bench_seed((long)(intptr_t)number + 1);
  unsigned long sum = 0;
  unsigned char **slots = malloc((size_t)batch * sizeof *slots);
  if (!slots)
    bench_die("out of memory");
  for (long i = 0; i < batch; i++)
    slots[i] = NULL;
  for (long round = 0; round < rounds; round++) {
    for (long i = 0; i < batch; i++) {
      if (slots[i])
        continue;
      size_t size = draw_size(&random);
      slots[i] = malloc(size);
      if (!slots[i])
        bench_die("out of memory");
      slots[i][0] = (unsigned char)size;
      slots[i][size - 1] = (unsigned char)(size + (size_t)round);
      sum += slots[i][0];
    }
    long half = batch / 2;
    for (long i = batch - 1; i >= half; i--) {
      if ((i + round) % 3 == 0)
        continue;
      free(slots[i]);
      slots[i] = NULL;
    }
    for (long i = 0; i < half; i++) {
      if ((i + round) % 3 == 0)
        continue;
      sum += slots[i][0];
      free(slots[i]);
      slots[i] = NULL;
    }
  }
  for (long i = 0; i < batch; i++)
    free(slots[i]);
  free(slots);
  atomic_fetch_add(&total, sum);
  return NULL;
}

int main(int argc, char **argv) {
  const struct bench_option options[] = {{'t', &threads, 1, BENCH_MAX_THREADS, "threads"},
                                         {'r', &rounds, 1, 100000000, "batches of each thread"},
                                         {'b', &batch, 1, 10000000, "blocks in a batch"},
                                         {'m', &min_size, 1, 1 << 20, "smallest block"},
                                         {'M', &max_size, 1, 1 << 20, "largest block"}};
  bench_options(argc, argv, "shbench", "threads with batches of blocks of mixed sizes", options, 5);
  if (max_size < min_size) {
    fprintf(stderr, "shbench: the largest block is smaller than the smallest\n");
    return 2;
  }
  double start = bench_now();
  pthread_t *ids = malloc((size_t)threads * sizeof *ids);
  if (!ids)
    bench_die("out of memory");
  for (long i = 0; i < threads; i++)
    if (pthread_create(&ids[i], NULL, worker, (void *)(intptr_t)i))
      bench_die("cannot start a thread");
  for (long i = 0; i < threads; i++)
    pthread_join(ids[i], NULL);
  free(ids);
  bench_result("shbench", (uint64_t)threads * (uint64_t)rounds * (uint64_t)batch * 2 / 3, bench_now() - start, total);
  return 0;
}
