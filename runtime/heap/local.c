// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// local.c - fh_tls_*, the public functions of the local heap, and the slow path that inlined code calls. All accept a block of
// either kind, or of the allocator in front of us, wherever they take a block.
#include "api.h"
#include "hardened.h"
#include "threads.h"

#include "freehold/heap.h"

#include <errno.h>
#include <string.h>

FHI_EXPORT void *fh_tls_malloc(size_t size) { return fhi_local_malloc_fast(size); }

FHI_EXPORT void *fh_tls_malloc_class(uint32_t class) {
  void *p = fhi_local_malloc_slow(fh_class_size(class));
  if (fhi_hardened())
    fhi_hardened_by_class(p);
  return p;
}

FHI_EXPORT void *fh_tls_calloc(size_t count, size_t size) { return fhi_local_calloc(count, size); }

FHI_EXPORT void *fh_tls_realloc(void *p, size_t size) { return fhi_realloc(FHI_LOCAL, p, size); }

FHI_EXPORT void *fh_tls_reallocarray(void *p, size_t count, size_t size) {
  size_t total = fhi_product(count, size);
  if (total == SIZE_MAX) {
    errno = ENOMEM;
    return NULL;
  }
  return fhi_realloc(FHI_LOCAL, p, total);
}

FHI_EXPORT void *fh_tls_aligned_alloc(size_t alignment, size_t size) {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    errno = EINVAL;
    return NULL;
  }
  return fhi_local_aligned(alignment, size);
}

FHI_EXPORT int fh_tls_posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0)
    return EINVAL;
  int saved = errno;
  void *p = fhi_local_aligned(alignment, size);
  errno = saved;
  if (!p)
    return ENOMEM;
  *result = p;
  return 0;
}

FHI_EXPORT char *fh_tls_strndup(const char *s, size_t n) {
  size_t length = strnlen(s, n);
  char *copy = fhi_local_malloc_fast(length + 1);
  if (!copy)
    return NULL;
  memcpy(copy, s, length);
  copy[length] = '\0';
  return copy;
}

FHI_EXPORT char *fh_tls_strdup(const char *s) {
  size_t length = strlen(s);
  char *copy = fhi_local_malloc_fast(length + 1);
  return copy ? memcpy(copy, s, length + 1) : NULL;
}

FHI_EXPORT void fh_tls_free(void *p) { fhi_free_local(p); }

FHI_EXPORT void fh_tls_free_sized(void *p, size_t size) { fhi_free_sized_local(p, size); }

FHI_EXPORT bool fh_is_local(const void *p) { return fhi_in_local_range(p); }

// An executable exports what it was linked with, and its libraries take the rest from libfreehold.so, which would then work on
// the executable's heaps: so the members of the archive that serve C programs come together.
__attribute__((used)) static fh_heap_t *(*const with_heap_api)(void) = fh_heap_self;
__attribute__((used)) static fh_mark_t (*const with_marks)(fh_heap_t *) = fh_heap_mark;
