/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * heap.h - the local heap: memory of one thread, with nothing in it that is ever synchronised.
 *
 * A block belongs to the thread that allocated it: only that thread may read, write or free it, and it is gone when the thread
 * ends. free() and realloc() of libfreehold accept such a block as well; freed by another thread the program stops with one line.
 * Functions that take a block accept blocks of malloc too. Where a thread gets no local heap (no memory, another malloc in front
 * of libfreehold's) these functions hand out blocks of malloc. Errors: NULL and errno, as the functions without fh_tls_ do.
 *
 * Thread-safety: every function may be called by any thread at any time, key and thread_local destructors included; none is
 * async-signal-safe but fh_is_local.
 */
#ifndef FREEHOLD_HEAP_H
#define FREEHOLD_HEAP_H

#include <stdbool.h>
#include <stddef.h>

#include "freehold/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

void *fh_tls_malloc(size_t size);
void *fh_tls_calloc(size_t count, size_t size);
void *fh_tls_realloc(void *p, size_t size); /* the block keeps its kind; size 0 frees and returns NULL */
void *fh_tls_reallocarray(void *p, size_t count, size_t size);
void *fh_tls_aligned_alloc(size_t alignment, size_t size);
int fh_tls_posix_memalign(void **result, size_t alignment, size_t size);
char *fh_tls_strdup(const char *s);
char *fh_tls_strndup(const char *s, size_t n);
void fh_tls_free(void *p);
void fh_tls_free_sized(void *p, size_t size);

/* operator new and its nothrow form: they call the new handler, and throw std::bad_alloc through C++'s own runtime. */
void *fh_tls_new(size_t size);
void *fh_tls_new_nothrow(size_t size);

/* Is p in a local heap's memory, of whatever thread? */
bool fh_is_local(const void *p);

#ifdef __cplusplus
}
#endif
#endif
