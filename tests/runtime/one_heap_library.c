// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// one_heap_library.c - a shared library built with Freehold: it takes and gives blocks by the inlined path, through
// fh_heads_base.
#include "freehold/heap.h"

void *library_pop(size_t size) { return fh_tls_malloc(size); }

void library_free(void *p) { fh_tls_free(p); }

const void *library_layout(void) { return &fh_layout_3; }
