// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// inlined.c - every inlined fast path once, for atomics.py to disassemble.
#include "freehold/heap.h"

void pair(size_t size);
void pair(size_t size) {
  fh_heap_t *heap = fh_heap_self();
  fh_tls_free_sized(fh_tls_malloc(16), 16);
  fh_tls_free_sized(fh_tls_calloc(3, 16), 48);
  fh_tls_free_sized(fh_tls_malloc(size), size);
  fh_heap_free_sized(heap, fh_heap_malloc(heap, 4000), 4000);
  fh_heap_free_sized(heap, fh_heap_calloc(heap, 1, 64), 64);
  fh_heap_free_sized(heap, fh_heap_malloc(heap, size), size);
}
