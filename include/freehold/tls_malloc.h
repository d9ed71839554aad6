/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * tls_malloc.h - the names that the literature uses, as aliases of heap.h's. In the header only: no ELF symbol is called tls_*,
 * since other libraries export such names.
 */
#ifndef FREEHOLD_TLS_MALLOC_H
#define FREEHOLD_TLS_MALLOC_H

#include "freehold/heap.h"

static inline void *tls_malloc(size_t size) { return fh_tls_malloc(size); }
static inline void *tls_calloc(size_t count, size_t size) { return fh_tls_calloc(count, size); }
static inline void *tls_realloc(void *p, size_t size) { return fh_tls_realloc(p, size); }
static inline void *tls_aligned_alloc(size_t alignment, size_t size) { return fh_tls_aligned_alloc(alignment, size); }
static inline char *tls_strdup(const char *s) { return fh_tls_strdup(s); }
static inline char *tls_strndup(const char *s, size_t n) { return fh_tls_strndup(s, n); }
static inline void tls_free(void *p) { fh_tls_free(p); }
static inline void tls_free_sized(void *p, size_t size) { fh_tls_free_sized(p, size); }

#endif
