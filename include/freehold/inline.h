/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * inline.h - the local heap's fast paths, inlined into the caller. heap.h includes it; it is not to be included by itself.
 *
 * With optimisation on, fh_tls_malloc(n) is a pop from the thread's list of that size class and fh_tls_free_sized(p, n) a push;
 * what they cannot do at once goes to the library. They are macros by the functions' names, so the functions stay what they are:
 * their address can be taken, and (fh_tls_malloc)(n) is a call. FREEHOLD_NO_INLINE leaves all of this out.
 *
 * Two ways to a thread's heads:
 *   -DFREEHOLD_STATIC=1   for executables linked with libfreehold.a: they are at a constant displacement from the thread pointer.
 *                         Such an object can neither go into a shared library nor be linked with libfreehold.so: the linker says
 *                         so. `pkg-config --static --cflags freehold` and the target Freehold::freehold_static define it.
 *   otherwise             any code: they are found behind the thread-local pointer fh_heads_base.
 *
 * Cost on x86-64 with a constant size: malloc 5 instructions, free_sized 5; behind the pointer one or two more each. The first
 * way takes two more, once a function or loop, to have the address of the heads in a register.
 */
#ifndef FREEHOLD_INLINE_H
#define FREEHOLD_INLINE_H

#include "freehold/heap.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(FREEHOLD_STATIC) && FREEHOLD_STATIC
extern __thread struct fh_heap fh_heads __attribute__((tls_model("local-exec")));
#else
extern __thread struct fh_heap *fh_heads_base __attribute__((tls_model("initial-exec")));
#endif

/* A runtime of another layout does not define fh_layout_3: the program then fails to link or load. */
static const char *const fh_layout_reference __attribute__((used, section(".data.rel.ro.fh_layout"))) = &fh_layout_3;

/* A free block's first word. Blocks hold objects of any type before and after, so it may alias them all. */
typedef void *fh_link_t __attribute__((may_alias));

#define FH_INLINE static inline __attribute__((always_inline, unused))

/* The calling thread's heads. The compiler would address fh_heads relative to the segment register, through which a processor
   does not forward a store to the next load at once: a tight pair takes twice the time. So it must not see what the address is;
   it may still compute it once. Taken first thing, on every path, since only then it leaves a loop. */
FH_INLINE struct fh_heap *fh_inline_here(void) {
#if defined(FREEHOLD_STATIC) && FREEHOLD_STATIC
  struct fh_heap *heap = &fh_heads;
  __asm__("" : "+r"(heap));
  return heap;
#else
  return fh_heads_base;
#endif
}

/* Worth inlining: every class where the size is a constant, else those that one comparison and a shift tell; 0 is not among them.
 */
#define FH_WORTH_INLINING(size) (__builtin_constant_p(size) ? (size) <= FH_CLASSED_MAX : (size) - 1 < FH_SMALL_MAX)

FH_INLINE void **fh_inline_head(struct fh_heap *heap, size_t size) {
  return &heap->heads[__builtin_constant_p(size) ? fh_class_of(size) : (size - 1) / 16];
}

/* NULL if the list is empty. */
FH_INLINE void *fh_inline_pop(struct fh_heap *heap, size_t size) {
  void **head = fh_inline_head(heap, size);
  void *p = *head;
  if (__builtin_expect(p != NULL, 1))
    *head = *(fh_link_t *)p;
  return p;
}

/* May p be pushed? Not if it is NULL or a block of malloc, nor in a thread whose every free the library must see. */
FH_INLINE bool fh_inline_may_push(const struct fh_heap *heap, const void *p) { return (uintptr_t)p >= heap->push_from; }

/* A constant size's head is read before the block is looked at: in a loop over many blocks that takes less time. The compiler
   must see but one copy of the address for that. */
FH_INLINE bool fh_inline_push_constant(struct fh_heap *heap, void **block, size_t size) {
  void **head, *first;
  if (size > FH_CLASSED_MAX)
    return false;
  head = fh_inline_head(heap, size);
  first = *head;
  __asm__("" : "+r"(first), "+r"(*block));
  if (__builtin_expect(!fh_inline_may_push(heap, *block), 0))
    return false;
  *(fh_link_t *)*block = first;
  *head = *block;
  return true;
}

/* One subtraction tells by its borrow whether the size is small, and by its difference, negative then, the class; of size 0 it is
   the word before the heads. For the library *size is computed anew, since only then no copy has to be kept on the way; the
   compiler must not see that it is the same. */
FH_INLINE bool fh_inline_push_any(struct fh_heap *heap, void *p, size_t *size) {
  size_t beyond;
  if (__builtin_expect(__builtin_sub_overflow(*size, (size_t)FH_SMALL_MAX + 1, &beyond) && fh_inline_may_push(heap, p), 1)) {
    void **head = (void **)((char *)heap + offsetof(struct fh_heap, heads[FH_SMALL_MAX / 16])) + ((ptrdiff_t)beyond >> 4);
    *(fh_link_t *)p = *head;
    *head = p;
    return true;
  }
  __asm__("" : "+r"(beyond));
  *size = beyond + (FH_SMALL_MAX + 1);
  return false;
}

/* False: the library must free *block, by *size. */
FH_INLINE bool fh_inline_push(struct fh_heap *heap, void **block, size_t *size) {
  return __builtin_constant_p(*size) ? fh_inline_push_constant(heap, block, *size) : fh_inline_push_any(heap, *block, size);
}

FH_INLINE void *fh_inline_tls_malloc(size_t size) {
  struct fh_heap *heap = fh_inline_here();
  void *p = FH_WORTH_INLINING(size) ? fh_inline_pop(heap, size) : NULL;
  return __builtin_expect(p != NULL, 1) ? p : fh_tls_malloc(size);
}

FH_INLINE void fh_inline_tls_free_sized(void *p, size_t size) {
  if (__builtin_expect(!fh_inline_push(fh_inline_here(), &p, &size), 0))
    fh_tls_free_sized(p, size);
}

FH_INLINE void *fh_inline_heap_malloc(struct fh_heap *heap, size_t size) {
  void *p = FH_WORTH_INLINING(size) ? fh_inline_pop(heap, size) : NULL;
  return __builtin_expect(p != NULL, 1) ? p : fh_heap_malloc(heap, size);
}

FH_INLINE void fh_inline_heap_free_sized(struct fh_heap *heap, void *p, size_t size) {
  if (__builtin_expect(!fh_inline_push(heap, &p, &size), 0))
    fh_heap_free_sized(heap, p, size);
}

/* calloc pays where the whole size is a constant: the compiler then writes the zeroes out. */
FH_INLINE bool fh_inline_total(size_t count, size_t size, size_t *total) {
  return !__builtin_mul_overflow(count, size, total) && __builtin_constant_p(*total) && *total <= FH_CLASSED_MAX;
}

FH_INLINE void *fh_inline_tls_calloc(size_t count, size_t size) {
  struct fh_heap *heap = fh_inline_here();
  size_t total;
  void *p = fh_inline_total(count, size, &total) ? fh_inline_pop(heap, total) : NULL;
  return __builtin_expect(p != NULL, 1) ? __builtin_memset(p, 0, total) : fh_tls_calloc(count, size);
}

FH_INLINE void *fh_inline_heap_calloc(struct fh_heap *heap, size_t count, size_t size) {
  size_t total;
  void *p = fh_inline_total(count, size, &total) ? fh_inline_pop(heap, total) : NULL;
  return __builtin_expect(p != NULL, 1) ? __builtin_memset(p, 0, total) : fh_heap_calloc(heap, count, size);
}

#define fh_tls_malloc(size) fh_inline_tls_malloc(size)
#define fh_tls_calloc(count, size) fh_inline_tls_calloc(count, size)
#define fh_tls_free_sized(p, size) fh_inline_tls_free_sized(p, size)
#define fh_heap_malloc(heap, size) fh_inline_heap_malloc(heap, size)
#define fh_heap_calloc(heap, count, size) fh_inline_heap_calloc(heap, count, size)
#define fh_heap_free_sized(heap, p, size) fh_inline_heap_free_sized(heap, p, size)
#if defined(FREEHOLD_STATIC) && FREEHOLD_STATIC
#define fh_heap_self() fh_inline_here()
#endif

#undef FH_INLINE
#undef FH_WORTH_INLINING

#ifdef __cplusplus
}
#endif
#endif
