// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// own_malloc.c - a malloc of the program's own (in an object, an archive or a library): a bump allocator that counts.
#include <stddef.h>
#include <string.h>

static _Alignas(64) char Arena[64 << 20];
static size_t Used;
int OwnMallocCalls;

void *aligned_alloc(size_t alignment, size_t size) {
  if (alignment < 16)
    alignment = 16;
  size_t at = __atomic_fetch_add(&Used, size + alignment + 16, __ATOMIC_RELAXED) + 16;
  at = (at + alignment - 1) & ~(alignment - 1);
  if (at + size > sizeof Arena)
    return NULL;
  ((size_t *)(Arena + at))[-1] = size;
  __atomic_fetch_add(&OwnMallocCalls, 1, __ATOMIC_RELAXED);
  return Arena + at;
}
void *malloc(size_t size) { return aligned_alloc(16, size); }
void free(void *p) { (void)p; }
void *calloc(size_t count, size_t size) { return malloc(count * size); }
void *realloc(void *p, size_t size) {
  void *q = malloc(size);
  if (p && q)
    memcpy(q, p, ((size_t *)p)[-1] < size ? ((size_t *)p)[-1] : size);
  return q;
}
int posix_memalign(void **result, size_t alignment, size_t size) {
  *result = aligned_alloc(alignment, size);
  return *result ? 0 : 12;
}
void *memalign(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }
size_t malloc_usable_size(void *p) { return ((size_t *)p)[-1]; }
