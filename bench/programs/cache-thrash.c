// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cache-thrash - after the program of that name in Hoard's benchmark suite (active false sharing): every thread allocates a
// small object, writes to it many times and frees it. An allocator that carves the objects of two threads out of one cache line
// makes the writes slow.
#include "bench.h"
#include <pthread.h>
#include <stdatomic.h>

struct work {
  long iterations, repetitions, size;
};

static atomic_ulong total;

static void *worker(void *arg) {
  struct work *given = arg;
  struct work work = *given;
  unsigned long sum = 0;
  free(given);
  for (long i = 0; i < work.iterations; i++) {
    volatile char *object = malloc((size_t)work.size);
    if (!object)
      bench_die("out of memory");
    for (long k = 0; k < work.size; k++)
      object[k] = 0;
    for (long j = 0; j < work.repetitions; j++)
      for (long k = 0; k < work.size; k++)
        object[k]++;
    sum += (unsigned char)object[0];
    free((void *)object);
  }
  atomic_fetch_add(&total, sum);
  return NULL;
}

int main(int argc, char **argv) {
  long threads = 2, iterations = 60000, repetitions = 4000, size = 8;
  const struct bench_option options[] = {{'t', &threads, 1, BENCH_MAX_THREADS, "threads"},
                                         {'i', &iterations, 1, 100000000, "objects of each thread"},
                                         {'r', &repetitions, 1, 100000000, "writes to an object, divided among the threads"},
                                         {'s', &size, 1, 1 << 20, "bytes of an object"}};
  bench_options(argc, argv, "cache-thrash", "threads that write to small objects of their own", options, 4);
  double start = bench_now();
  pthread_t *ids = malloc((size_t)threads * sizeof *ids);
  if (!ids)
    bench_die("out of memory");
  for (long i = 0; i < threads; i++) {
    struct work *work = malloc(sizeof *work);
    if (!work)
      bench_die("out of memory");
    work->iterations = iterations;
    work->repetitions = repetitions / threads;
    work->size = size;
    if (pthread_create(&ids[i], NULL, worker, work))
      bench_die("cannot start a thread");
  }
  for (long i = 0; i < threads; i++)
    pthread_join(ids[i], NULL);
  free(ids);
  bench_result("cache-thrash", (uint64_t)threads * (uint64_t)iterations, bench_now() - start, total);
  return 0;
}
