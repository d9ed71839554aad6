// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// limit - what the hardware allows: one free list for each 16-byte class in thread-local storage, inlined, the class known at
// both ends, no header, no owner, no accounting, memory never given back. Nobody could use this; every other variant is measured
// against it. Kept honest: bench/heap stops if its instructions are not 11 / 16 / 25 (within 1).
#include "loops.h"

#include <sys/mman.h>

enum { CLASSES = 64, CHUNK = 65536 };
static _Thread_local void *heads[CLASSES];

static __attribute__((noinline)) void *refill(size_t class) {
  size_t size = (class + 1) * 16;
  char *chunk = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (chunk == MAP_FAILED)
    abort();
  for (size_t at = size; at + size <= CHUNK; at += size) {
    *(void **)(chunk + at) = heads[class];
    heads[class] = chunk + at;
  }
  return chunk;
}

// The compiler would address the heads relative to the segment register, which costs no instruction but nearly twice the time in
// a tight pair: with the address in a register, computed once a loop, a store is forwarded to the next load at once.
ALWAYS_INLINE void **own_heads(void) {
  void **address = heads;
  __asm__("" : "+r"(address));
  return address;
}

ALWAYS_INLINE void *take(size_t size) {
  void **own = own_heads();
  size_t class = (size - 1) >> 4;
  void *p = own[class];
  if (__builtin_expect(p == NULL, 0))
    return refill(class);
  own[class] = *(void **)p;
  return p;
}

ALWAYS_INLINE void give(void *p, size_t size) {
  void **own = own_heads();
  size_t class = (size - 1) >> 4;
  *(void **)p = own[class];
  own[class] = p;
}
