// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heap_api.c - fh_heap_*: the local heap as a parameter. What is passed on is the thread's record (access.h), so inlined code
// finds the heads in it; every function here first makes sure that it is the calling thread's.
#include "api.h"
#include "threads.h"

#include "freehold/heap.h"

#include <errno.h>

_Noreturn void fhi_stop_other_heap(const void *heap) {
  struct fhi_line line;
  fhi_line_start(&line);
  fhi_line_text(&line, "wrong thread: heap ");
  fhi_line_address(&line, heap);
  fhi_line_text(&line, " was used by thread ");
  fhi_line_number(&line, (uint64_t)fhi_os_tid());
  fhi_line_text(&line, ", whose heap it is not: each thread asks fh_heap_self() for its own");
  fhi_line_stop(&line);
}

FHI_EXPORT fh_heap_t *fh_heap_self(void) {
  fhi_local_heap();
  return (fh_heap_t *)(void *)fhi_self();
}

FHI_EXPORT void *fh_heap_malloc(fh_heap_t *heap, size_t size) {
  fhi_check_heap(heap);
  return fhi_local_malloc_fast(size);
}

FHI_EXPORT void *fh_heap_calloc(fh_heap_t *heap, size_t count, size_t size) {
  fhi_check_heap(heap);
  return fhi_local_calloc(count, size);
}

FHI_EXPORT void *fh_heap_realloc(fh_heap_t *heap, void *p, size_t size) {
  fhi_check_heap(heap);
  return fhi_realloc(FHI_LOCAL, p, size);
}

FHI_EXPORT void *fh_heap_aligned_alloc(fh_heap_t *heap, size_t alignment, size_t size) {
  fhi_check_heap(heap);
  return fh_tls_aligned_alloc(alignment, size);
}

FHI_EXPORT char *fh_heap_strdup(fh_heap_t *heap, const char *s) {
  fhi_check_heap(heap);
  return fh_tls_strdup(s);
}

FHI_EXPORT char *fh_heap_strndup(fh_heap_t *heap, const char *s, size_t n) {
  fhi_check_heap(heap);
  return fh_tls_strndup(s, n);
}

FHI_EXPORT void fh_heap_free(fh_heap_t *heap, void *p) {
  fhi_check_heap(heap);
  fhi_free_any(p);
}

FHI_EXPORT void fh_heap_free_sized(fh_heap_t *heap, void *p, size_t size) {
  fhi_check_heap(heap);
  fh_tls_free_sized(p, size);
}
