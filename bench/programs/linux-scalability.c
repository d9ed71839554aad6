// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// linux-scalability - after Lever and Boreham, "malloc() Performance in a Multithreaded Linux Environment", USENIX 2000: every
// thread allocates one block and frees it, as often as asked. The one allocation site of the original is kept; the block is
// touched, or an optimiser would rightly remove the pair.
#include "bench.h"
#include <pthread.h>
#include <stdatomic.h>

static long threads = 2, rounds = 25000000, size = 512;
static atomic_ulong total;

static void *run_test(void *unused) {
  (void)unused;
  unsigned long sum = 0;
  for (long i = 0; i < rounds; i++) {
    volatile unsigned char *buffer = malloc((size_t)size);
    if (!buffer)
      bench_die("out of memory");
    buffer[0] = (unsigned char)i;
    sum += buffer[0];
    free((void *)buffer);
  }
  atomic_fetch_add(&total, sum);
  return NULL;
}

int main(int argc, char **argv) {
  static pthread_t ids[BENCH_MAX_THREADS];
  const struct bench_option options[] = {{'t', &threads, 1, BENCH_MAX_THREADS, "threads"},
                                         {'r', &rounds, 1, 1000000000, "pairs of malloc and free of each thread"},
                                         {'s', &size, 1, 1 << 24, "bytes of a block"}};
  bench_options(argc, argv, "linux-scalability", "malloc and free of one block in every thread", options, 3);
  double start = bench_now();
  for (long i = 0; i < threads; i++)
    if (pthread_create(&ids[i], NULL, run_test, NULL))
      bench_die("cannot start a thread");
  for (long i = 0; i < threads; i++)
    pthread_join(ids[i], NULL);
  bench_result("linux-scalability", (uint64_t)threads * (uint64_t)rounds, bench_now() - start, total);
  return 0;
}
