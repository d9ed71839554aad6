// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// one_heap_library.c - a shared library built with Freehold: it takes and gives blocks by the inlined path, through
// fh_heads_base.
#include "freehold/heap.h"

extern _Thread_local void **fh_heads_base __attribute__((tls_model("initial-exec")));

void *library_pop(size_t size) {
  uint32_t class = fh_class_of(size);
  void *p = fh_heads_base[class];
  if (!p)
    return fh_tls_malloc_class(class);
  fh_heads_base[class] = *(void **)p;
  return p;
}

void library_free(void *p) { fh_tls_free(p); }

const void *library_layout(void) { return &fh_layout_2; }
