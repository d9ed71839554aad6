// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// large - a few big blocks come and go: one of the live ones is replaced by another of another size, and each 4 KiB of the new
// one is written to. After Leijen's malloc-large, from its description.
#include "bench.h"

int main(int argc, char **argv) {
  static unsigned char *blocks[1000];
  long threads = 1, rounds = 100, live = 20, min_size = 5 << 20, max_size = 25 << 20;
  const struct bench_option options[] = {{'t', &threads, 1, 1, "threads"},
                                         {'r', &rounds, 1, 100000000, "blocks replaced"},
                                         {'n', &live, 1, 1000, "blocks alive"},
                                         {'m', &min_size, 1, 1 << 28, "smallest block"},
                                         {'M', &max_size, 1, 1 << 28, "largest block"}};
  bench_options(argc, argv, "large", "a few big blocks, replaced at random", options, 5);
  if (max_size < min_size) {
    fprintf(stderr, "large: the largest block is smaller than the smallest\n");
    return 2;
  }
  uint64_t random = bench_seed(1), sum = 0;
  double start = bench_now();
  for (long i = 0; i < rounds; i++) {
    long victim = (long)(bench_random(&random) % (uint64_t)live);
    long size = min_size + (long)(bench_random(&random) % (uint64_t)(max_size - min_size + 1));
    if (blocks[victim])
      sum += blocks[victim][0];
    free(blocks[victim]);
    unsigned char *block = malloc((size_t)size);
    if (!block)
      bench_die("out of memory");
    for (long at = 0; at < size; at += 4096)
      ((volatile unsigned char *)block)[at] = (unsigned char)(at + i);
    blocks[victim] = block;
  }
  for (long i = 0; i < live; i++)
    free(blocks[i]);
  bench_result("large", (uint64_t)rounds, bench_now() - start, sum);
  return 0;
}
