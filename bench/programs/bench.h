// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bench.h - what the benchmark programs share: numeric options, a clock, one random generator, one closing line.
// It allocates nothing and keeps no pointer, so that every allocation site and every verdict is the program's own.
#pragma once

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BENCH_MAX_THREADS 256

/// One option `-letter NUMBER`; *value holds the default and receives the number.
struct bench_option {
  char letter;
  long *value;
  long min, max;
  const char *what;
};

static inline void bench_usage(FILE *to, const char *name, const char *what, const struct bench_option *options, int count) {
  fprintf(to, "usage: %s [options]\n%s\n", name, what);
  for (int i = 0; i < count; i++)
    fprintf(to, "  -%c N  %s (%ld to %ld, now %ld)\n", options[i].letter, options[i].what, options[i].min, options[i].max,
            *options[i].value);
}

/// Reads the options; on a bad one prints the usage and exits with 2, on --help prints it and exits with 0.
static inline void bench_options(int argc, char **argv, const char *name, const char *what, const struct bench_option *options,
                                 int count) {
  for (int i = 1; i < argc; i += 2) {
    int known = 0;
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      bench_usage(stdout, name, what, options, count);
      exit(0);
    }
    for (int o = 0; o < count && !known; o++) {
      if (argv[i][0] != '-' || argv[i][1] != options[o].letter || argv[i][2] != '\0' || i + 1 >= argc)
        continue;
      char *end;
      errno = 0;
      long number = strtol(argv[i + 1], &end, 10);
      if (errno || end == argv[i + 1] || *end != '\0' || number < options[o].min || number > options[o].max)
        break;
      *options[o].value = number;
      known = 1;
    }
    if (!known) {
      fprintf(stderr, "%s: bad option or value: %s\n", name, argv[i]);
      bench_usage(stderr, name, what, options, count);
      exit(2);
    }
  }
}

static inline void bench_die(const char *what) {
  fprintf(stderr, "bench: %s\n", what);
  exit(4);
}

static inline double bench_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/// xorshift64*: the same stream on every machine, so that checksums can be compared.
static inline uint64_t bench_random(uint64_t *state) {
  uint64_t x = *state;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  *state = x;
  return x * 0x2545f4914f6cdd1dull;
}

static inline uint64_t bench_seed(long number) { return (uint64_t)number * 0x9e3779b97f4a7c15ull + 1; }

/// The closing line every runner reads. `ops` counts pairs of an allocation and a free.
static inline void bench_result(const char *name, uint64_t ops, double seconds, uint64_t checksum) {
  printf("%s: ops %llu seconds %.3f checksum %016llx\n", name, (unsigned long long)ops, seconds, (unsigned long long)checksum);
}
