// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cache-scratch - after the program of that name in Hoard's benchmark suite (passive false sharing): main allocates small
// objects, one for each thread, likely all in one cache line. Each thread frees the one it was given, then allocates, writes and
// frees objects of its own. An allocator that hands the given memory out again makes the threads share that line for good.
#include "bench.h"
#include <pthread.h>
#include <stdatomic.h>

struct work {
  char *object;
  long iterations, repetitions, size;
};

static atomic_ulong total;

static void *worker(void *arg) {
  struct work *work = arg;
  unsigned long sum = (unsigned char)work->object[0];
  free(work->object);
  for (long i = 0; i < work->iterations; i++) {
    volatile char *object = malloc((size_t)work->size);
    if (!object)
      bench_die("out of memory");
    for (long k = 0; k < work->size; k++)
      object[k] = 0;
    for (long j = 0; j < work->repetitions; j++)
      for (long k = 0; k < work->size; k++)
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
  bench_options(argc, argv, "cache-scratch", "threads that free an object of main's, then write to their own", options, 4);
  double start = bench_now();
  pthread_t *ids = malloc((size_t)threads * sizeof *ids);
  struct work *work = malloc((size_t)threads * sizeof *work);
  char **objects = malloc((size_t)threads * sizeof *objects);
  if (!ids || !work || !objects)
    bench_die("out of memory");
  for (long i = 0; i < threads; i++) {
    objects[i] = malloc((size_t)size);
    if (!objects[i])
      bench_die("out of memory");
    objects[i][0] = (char)i;
  }
  for (long i = 0; i < threads; i++) {
    work[i] = (struct work){objects[i], iterations, repetitions / threads, size};
    if (pthread_create(&ids[i], NULL, worker, &work[i]))
      bench_die("cannot start a thread");
  }
  for (long i = 0; i < threads; i++)
    pthread_join(ids[i], NULL);
  free(objects);
  free(work);
  free(ids);
  bench_result("cache-scratch", (uint64_t)threads * (uint64_t)(iterations + 1), bench_now() - start, total);
  return 0;
}
