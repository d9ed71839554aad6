// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// loops.h - three loops over an allocator, one thread: pair (malloc(16), free), lifo (100 blocks of 16 bytes, freed newest
// first), random (sizes 8..512 in 1000 live slots, a random one replaced). The variant that includes this defines before
//
//   static inline void *take(size_t size);             a constant size must stay constant: always_inline
//   static inline void give(void *p, size_t size);     size as it was asked for
//
// `VARIANT LOOP PAIRS` prints the instructions of a pair, counted by stepping (step.h): PAIRS pairs less than three times as
// many. `VARIANT LOOP PAIRS whole` only runs them: a counter outside takes the difference of two such runs. `VARIANT` alone
// prints for every loop the CPU time of a pair in nanoseconds, the median of inner repetitions. BARRIER makes the loop honest
// without adding an instruction: what take and give keep in memory must be there after each.
#pragma once

#include "step.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define BARRIER() __asm__ volatile("" ::: "memory")

ALWAYS_INLINE void *take(size_t size);
ALWAYS_INLINE void give(void *p, size_t size);

enum { LIFO = 100, SLOTS = 1000, DRAWS = 1 << 17, REPETITIONS = 7 };

struct slot {
  void *p;
  size_t size;
};
static struct {
  uint16_t slot, size;
} draws[DRAWS];

// The table is the same in every variant and on every machine, and long: a short one would soon repeat itself so exactly that no
// page ever ran dry.
static void draw(void) {
  uint64_t x = 0x9e3779b97f4a7c15ull;
  for (int i = 0; i < DRAWS; i++) {
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    uint64_t bits = x * 0x2545f4914f6cdd1dull;
    draws[i].slot = (uint16_t)((bits >> 40) % SLOTS);
    draws[i].size = (uint16_t)(8 + (bits & 0xffffff) % 505);
  }
}

static __attribute__((noinline)) void run_pair(long pairs) {
  step_begin();
  for (long i = pairs; i != 0; i--) {
    volatile char *p = (volatile char *)take(16);
    BARRIER();
    *p = 1;
    give((void *)p, 16);
    BARRIER();
  }
  step_end();
}

static __attribute__((noinline)) void run_lifo(long pairs) {
  void *blocks[LIFO];
  step_begin();
  for (long round = pairs / LIFO; round != 0; round--) {
    for (long i = 0; i != LIFO; i++) {
      blocks[i] = take(16);
      volatile char *p = (volatile char *)blocks[i];
      BARRIER();
      *p = 1;
    }
    for (long i = LIFO; i-- != 0;) {
      give(blocks[i], 16);
      BARRIER();
    }
  }
  step_end();
}

static __attribute__((noinline)) void run_random(long pairs) {
  struct slot slots[SLOTS];
  for (long i = 0; i != SLOTS; i++) {
    slots[i].size = draws[i].size;
    slots[i].p = take(slots[i].size);
  }
  step_begin();
  for (long i = 0; i != pairs; i++) {
    long drawn = i & (DRAWS - 1);
    struct slot *slot = &slots[draws[drawn].slot];
    give(slot->p, slot->size);
    BARRIER();
    slot->size = draws[drawn].size;
    slot->p = take(slot->size);
    BARRIER();
  }
  step_end();
  for (long i = 0; i != SLOTS; i++)
    give(slots[i].p, slots[i].size);
}

static const struct {
  const char *name;
  void (*run)(long);
  long pairs; // of one timed repetition
} loops[] = {{"pair", run_pair, 1500000}, {"lifo", run_lifo, 1500000}, {"random", run_random, 1000000}};

static double cpu_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static unsigned long stepped(void (*run)(long), long pairs) {
  step_count = 0;
  run(pairs);
  return step_count;
}

static void count(void (*run)(long), long pairs) {
  step_prepare();
  run(100 * pairs);
  step_armed = 1;
  unsigned long once = stepped(run, pairs), thrice = stepped(run, 3 * pairs);
  step_armed = 0;
  printf("%.2f\n", (double)(thrice - once) / (double)(2 * pairs));
}

int main(int argc, char **argv) {
  draw();
  for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
    double times[REPETITIONS];
    if (argc >= 3 && strcmp(argv[1], loops[i].name) == 0) {
      long pairs = strtol(argv[2], NULL, 10);
      if (argc == 4)
        loops[i].run(pairs);
      else
        count(loops[i].run, pairs);
      return 0;
    }
    if (argc != 1)
      continue;
    loops[i].run(loops[i].pairs / 4);
    for (int r = 0; r < REPETITIONS; r++) {
      double before = cpu_now();
      loops[i].run(loops[i].pairs);
      times[r] = (cpu_now() - before) / (double)loops[i].pairs;
    }
    qsort(times, REPETITIONS, sizeof *times, by_value);
    printf("%s %.3f\n", loops[i].name, times[REPETITIONS / 2]);
  }
  return argc == 1 ? 0 : 2;
}
