// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pattern.h - random numbers, and the pattern that fills a block under test: every byte follows from the block's seed and its
// place, so a lost, moved or overwritten one is seen.
#ifndef FREEHOLD_TESTS_PATTERN_H
#define FREEHOLD_TESTS_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// ---- random numbers: splitmix64 ----
static inline uint64_t next(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
static inline bool one_in(uint64_t *state, unsigned n) { return next(state) % n == 0; }

// ---- the pattern ----
// Small blocks are covered whole; of others the first KiB, the last 64
// bytes, and a word in each 4 KiB, so that no system page can be lost or shared unseen.
enum { Whole = 1024, Tail = 64 };
typedef bool each_word(unsigned char *at, uint64_t word, size_t length);

static inline uint64_t pattern(uint64_t seed, size_t offset) {
  uint64_t state = seed ^ offset;
  return next(&state);
}
static inline bool write_word(unsigned char *at, uint64_t word, size_t length) {
  memcpy(at, &word, length);
  return true;
}
static inline bool compare_word(unsigned char *at, uint64_t word, size_t length) { return memcmp(at, &word, length) == 0; }

// Goes over the pattern of a block of `size` bytes as far as `end`; the offset where `word` said no, or end.
static inline size_t over(unsigned char *bytes, size_t size, size_t end, uint64_t seed, each_word *word) {
  size_t offset = 0, tail = size > Tail ? (size - Tail) & ~(size_t)7 : 0;
  while (offset < end) {
    size_t length = end - offset < 8 ? end - offset : 8;
    if (!word(bytes + offset, pattern(seed, offset), length))
      return offset;
    offset += 8;
    if (offset >= Whole && offset < tail) {
      size_t sparse = (offset & ~(size_t)4095) + 4096 + (seed & 4088);
      offset = sparse < tail ? sparse : tail;
    }
  }
  return end;
}
static inline void fill_pattern(void *p, size_t size, uint64_t seed) { over(p, size, size, seed, write_word); }

#endif
