// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// threadtest - after Berger, McKinley, Blumofe, Wilson, "Hoard", ASPLOS 2000: every thread again and again allocates its share
// of the objects and frees them all. Nothing is shared between the threads but the numbers.
#include "bench.h"
#include <pthread.h>
#include <stdatomic.h>

static long threads = 2, rounds = 1000, objects = 30000, size = 8;
static atomic_ulong total;

static void *worker(void *unused) {
  (void)unused;
  long share = objects / threads;
  unsigned long sum = 0;
  unsigned char **mine = malloc((size_t)share * sizeof *mine);
  if (!mine)
    bench_die("out of memory");
  for (long round = 0; round < rounds; round++) {
    for (long i = 0; i < share; i++) {
      mine[i] = malloc((size_t)size);
      if (!mine[i])
        bench_die("out of memory");
      mine[i][0] = (unsigned char)(i + round);
    }
    for (long i = 0; i < share; i++) {
      sum += mine[i][0];
      free(mine[i]);
    }
  }
  free(mine);
  atomic_fetch_add(&total, sum);
  return NULL;
}

int main(int argc, char **argv) {
  const struct bench_option options[] = {{'t', &threads, 1, BENCH_MAX_THREADS, "threads"},
                                         {'r', &rounds, 1, 1000000, "rounds"},
                                         {'n', &objects, 1, 100000000, "objects of all threads together"},
                                         {'s', &size, 1, 1 << 20, "bytes of an object"}};
  bench_options(argc, argv, "threadtest", "threads that allocate and free their own objects", options, 4);
  double start = bench_now();
  pthread_t *ids = malloc((size_t)threads * sizeof *ids);
  if (!ids)
    bench_die("out of memory");
  for (long i = 0; i < threads; i++)
    if (pthread_create(&ids[i], NULL, worker, NULL))
      bench_die("cannot start a thread");
  for (long i = 0; i < threads; i++)
    pthread_join(ids[i], NULL);
  free(ids);
  bench_result("threadtest", (uint64_t)(objects / threads * threads) * (uint64_t)rounds, bench_now() - start, total);
  return 0;
}
