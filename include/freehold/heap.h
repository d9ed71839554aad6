/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * heap.h - the local heap: memory of one thread, with nothing in it that is ever synchronised.
 *
 * A block belongs to the thread that allocated it: only that thread may read, write or free it, and it is gone when the thread
 * ends. free() and realloc() of libfreehold accept such a block as well; freed by another thread the program stops with one line.
 * Functions that take a block accept blocks of malloc too. Where a thread gets no local heap (no memory, another malloc in front
 * of libfreehold's) these functions hand out blocks of malloc.
 *
 * Sizes are bytes. Errors: NULL and errno, as the functions without fh_ do (ENOMEM; EINVAL for an alignment that is no power of
 * two). A request of 0 bytes gives a block that must be freed; blocks are aligned for every type of at most 16 bytes' alignment.
 *
 * Thread-safety: every function may be called by any thread at any time, key and thread_local destructors included; none is
 * async-signal-safe but fh_is_local.
 *
 * With optimisation on, the frequent ones are inlined: see inline.h, and docs/local-heap.md for a guided tour.
 */
#ifndef FREEHOLD_HEAP_H
#define FREEHOLD_HEAP_H

#include <stdbool.h>
#include <stddef.h>

#include "freehold/abi.h"

/* With inlining the library is called only for what could not be done at once. */
#if defined(__OPTIMIZE__) && !defined(FREEHOLD_NO_INLINE)
#define FH_INLINED __attribute__((cold))
#else
#define FH_INLINED
#endif

#ifdef __cplusplus
extern "C" {
#endif

FH_INLINED void *fh_tls_malloc(size_t size);
FH_INLINED void *fh_tls_calloc(size_t count, size_t size);
void *fh_tls_realloc(void *p, size_t size); /* the block keeps its kind; size 0 frees and returns NULL */
void *fh_tls_reallocarray(void *p, size_t count, size_t size);
void *fh_tls_aligned_alloc(size_t alignment, size_t size);
int fh_tls_posix_memalign(void **result, size_t alignment, size_t size);
char *fh_tls_strdup(const char *s);
char *fh_tls_strndup(const char *s, size_t n);
void fh_tls_free(void *p);
/* The same for a block whose size is known: the size it was asked for with (of calloc the product, of strdup strlen + 1, of
   realloc the last). Inlined it is several times faster than fh_tls_free. Another size corrupts the heap. */
FH_INLINED void fh_tls_free_sized(void *p, size_t size);

/* operator new and its nothrow form: they call the new handler, and throw std::bad_alloc through C++'s own runtime. */
void *fh_tls_new(size_t size);
void *fh_tls_new_nothrow(size_t size);

/* ---- The calling thread's heap, fetched once and passed on ----
   A thread's heap is a parameter here instead of being looked up in every call, for code behind fh_heads_base, or with many
   calls. Only the thread that called fh_heap_self may use what it returned: another thread that does is stopped with one line by
   every call that reaches the library, which inlined ones do only when their list is empty (with FREEHOLD_CHECK=check: always).
   The pointer holds until the thread ends. */
typedef struct fh_heap fh_heap_t;
fh_heap_t *fh_heap_self(void); /* never NULL */
FH_INLINED void *fh_heap_malloc(fh_heap_t *heap, size_t size);
FH_INLINED void *fh_heap_calloc(fh_heap_t *heap, size_t count, size_t size);
void *fh_heap_realloc(fh_heap_t *heap, void *p, size_t size);
void *fh_heap_aligned_alloc(fh_heap_t *heap, size_t alignment, size_t size);
char *fh_heap_strdup(fh_heap_t *heap, const char *s);
char *fh_heap_strndup(fh_heap_t *heap, const char *s, size_t n);
void fh_heap_free(fh_heap_t *heap, void *p);
FH_INLINED void fh_heap_free_sized(fh_heap_t *heap, void *p, size_t size);

/* ---- A request's memory, dropped at once ----
   fh_heap_reset frees exactly the local blocks that the thread allocated since the mark, of every size, and no other; blocks
   older than the mark may be freed in between and stay freed. It gives pages back and visits no block. Marks nest: a reset drops
   the marks made after its own with it, and its own. A mark that is not in force any more resets nothing (with
   FREEHOLD_CHECK=check it stops the program). An older block that is reallocated while a mark is in force becomes one allocated
   after the mark. While a mark is in force local functions never hand out blocks of malloc in place of local ones: without memory
   they return NULL. A mark of a thread that has no local heap, or no memory for the mark, resets nothing. Same thread rule as
   above. */
typedef struct fh_mark {
  uint64_t serial; /* 0: resets nothing */
} fh_mark_t;
fh_mark_t fh_heap_mark(fh_heap_t *heap);
void fh_heap_reset(fh_heap_t *heap, fh_mark_t mark);

/* Is p in a local heap's memory, of whatever thread? */
bool fh_is_local(const void *p);

#ifdef __cplusplus
}
#endif

#if defined(__OPTIMIZE__) && !defined(FREEHOLD_NO_INLINE)
#include "freehold/inline.h"
#endif
#endif
