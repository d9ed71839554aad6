// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fresh - memory that comes from the system: every thread allocates blocks until it has its share of so many megabytes, writes to
// each 4 KiB of them, frees them all, and does so again (-r). One round shows what a first touch costs, twenty whether memory
// that was freed is at hand again (Lever and Boreham's shape, over more than one block). Blocks of mixed sizes (-M) are drawn
// evenly.
#include "bench.h"
#include <pthread.h>
#include <stdatomic.h>

static long threads = 1, rounds = 1, megabytes = 64, size = 512, max_size = 0;
static atomic_ulong total;
static pthread_barrier_t together; // all begin and end at once: else one might use the memory that another has just left

/// Blocks are linked through their first word, so that the program itself needs no memory.
struct block {
  struct block *next;
};

static void *worker(void *number) {
  uint64_t random = bench_seed((long)(intptr_t)number + 1);
  unsigned long sum = 0;
  pthread_barrier_wait(&together);
  for (long round = 0; round < rounds; round++) {
    struct block *first = NULL;
    for (long left = (megabytes << 20) / threads; left > 0;) {
      long drawn = max_size > size ? size + (long)(bench_random(&random) % (uint64_t)(max_size - size + 1)) : size;
      struct block *block = malloc((size_t)drawn);
      if (!block)
        bench_die("out of memory");
      for (long at = sizeof *block; at < drawn; at += 4096)
        ((volatile char *)block)[at] = (char)round;
      block->next = first;
      first = block;
      sum += (unsigned long)drawn;
      left -= drawn;
    }
    while (first) {
      struct block *next = first->next;
      free(first);
      first = next;
    }
  }
  atomic_fetch_add(&total, sum);
  pthread_barrier_wait(&together);
  return NULL;
}

int main(int argc, char **argv) {
  static pthread_t ids[BENCH_MAX_THREADS];
  const struct bench_option options[] = {{'t', &threads, 1, BENCH_MAX_THREADS, "threads"},
                                         {'r', &rounds, 1, 1000000, "rounds over as much memory"},
                                         {'m', &megabytes, 1, 65536, "megabytes of all threads together"},
                                         {'s', &size, 9, 1 << 28, "bytes of a block"},
                                         {'M', &max_size, 0, 1 << 28, "largest block, if they are mixed"}};
  bench_options(argc, argv, "fresh", "first use of memory, and whether it must come from the system again", options, 5);
  pthread_barrier_init(&together, NULL, (unsigned)threads);
  double start = bench_now();
  for (long i = 0; i < threads; i++)
    if (pthread_create(&ids[i], NULL, worker, (void *)(intptr_t)i))
      bench_die("cannot start a thread");
  for (long i = 0; i < threads; i++)
    pthread_join(ids[i], NULL);
  bench_result("fresh", total >> 10, bench_now() - start, total);
  return 0;
}
