/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * alloc.c - the request allocator over Freehold's local heap.
 *
 * Each operation is written once, as an inline function with a context; the function and its twin differ in where they have it
 * from.
 */
#define ENGINE_ALLOC_C /* the twins are there for modules, whether the engine calls them or not */
#include "alloc.h"

#include <stdlib.h>
#include <string.h>

#include "vm.h"

static void *checked(void *p) {
  if (!p)
    vm_error("out of memory");
  return p;
}

#ifdef ENGINE_TRACK
/* Every block is malloc's own, in a list: a sanitizer sees it, and what a script forgot is freed at the request's end. */
typedef struct block {
  struct block *next, *before;
} block;

/* Who led to b leads to next from now on. */
static inline void link_before(const block *b, block *next ENGINE_DC) {
  if (b->before)
    b->before->next = next;
  else
    AG(blocks) = next;
}

static inline void *do_malloc(size_t size ENGINE_DC) {
  block *b = checked(malloc(sizeof *b + size));
  *b = (block){AG(blocks), NULL};
  if (b->next)
    b->next->before = b;
  AG(blocks) = b;
  return b + 1;
}

static inline void do_free(void *p ENGINE_DC) {
  block *b = (block *)p - 1;
  link_before(b, b->next ENGINE_CC);
  if (b->next)
    b->next->before = b->before;
  free(b);
}

static inline void *do_realloc(void *p, size_t size ENGINE_DC) {
  block *b = checked(realloc((block *)p - 1, sizeof *b + size));
  link_before(b, b ENGINE_CC);
  if (b->next)
    b->next->before = b;
  return b + 1;
}

static inline void *do_calloc(size_t count, size_t size ENGINE_DC) {
  if (size && count > SIZE_MAX / size)
    checked(NULL);
  return memset(do_malloc(count * size ENGINE_CC), 0, count * size);
}

static inline void do_free_size(void *p, size_t size ENGINE_DC) { do_free(p ENGINE_CC); }

void alloc_begin(ENGINE_D) { AG(blocks) = NULL; }

void alloc_end(ENGINE_D) {
  while (AG(blocks))
    do_free((block *)AG(blocks) + 1 ENGINE_CC);
}
#else
static inline void *do_malloc(size_t size ENGINE_DC) {
  void *p = fh_heap_malloc(AG(heap), size);
  return __builtin_expect(p != NULL, 1) ? p : checked(p);
}

static inline void *do_calloc(size_t count, size_t size ENGINE_DC) {
  void *p = fh_heap_calloc(AG(heap), count, size);
  return __builtin_expect(p != NULL, 1) ? p : checked(p);
}

static inline void *do_realloc(void *p, size_t size ENGINE_DC) { return checked(fh_heap_realloc(AG(heap), p, size)); }

static inline void do_free(void *p ENGINE_DC) { fh_heap_free(AG(heap), p); }
static inline void do_free_size(void *p, size_t size ENGINE_DC) { fh_heap_free_sized(AG(heap), p, size); }

void alloc_begin(ENGINE_D) {
  AG(heap) = fh_heap_self();
  AG(mark) = fh_heap_mark(AG(heap));
}

void alloc_end(ENGINE_D) { fh_heap_reset(AG(heap), AG(mark)); }
#endif

static inline char *do_strndup(const char *s, size_t n ENGINE_DC) {
  char *copy = do_malloc(n + 1 ENGINE_CC);
  memcpy(copy, s, n);
  copy[n] = 0;
  return copy;
}

/* Both ways: `fetch` is what the body begins with. */
#define ENGINE_ALLOCATOR(suffix, context, fetch)                                                                                 \
  void *emalloc##suffix(size_t size context) {                                                                                   \
    fetch;                                                                                                                       \
    return do_malloc(size ENGINE_CC);                                                                                            \
  }                                                                                                                              \
  void *ecalloc##suffix(size_t count, size_t size context) {                                                                     \
    fetch;                                                                                                                       \
    return do_calloc(count, size ENGINE_CC);                                                                                     \
  }                                                                                                                              \
  void *erealloc##suffix(void *p, size_t size context) {                                                                         \
    fetch;                                                                                                                       \
    return do_realloc(p, size ENGINE_CC);                                                                                        \
  }                                                                                                                              \
  char *estrndup##suffix(const char *s, size_t n context) {                                                                      \
    fetch;                                                                                                                       \
    return do_strndup(s, n ENGINE_CC);                                                                                           \
  }                                                                                                                              \
  char *estrdup##suffix(const char *s context) {                                                                                 \
    fetch;                                                                                                                       \
    return do_strndup(s, strlen(s) ENGINE_CC);                                                                                   \
  }                                                                                                                              \
  void efree##suffix(void *p context) {                                                                                          \
    fetch;                                                                                                                       \
    do_free(p ENGINE_CC);                                                                                                        \
  }                                                                                                                              \
  void efree_size##suffix(void *p, size_t size context) {                                                                        \
    fetch;                                                                                                                       \
    do_free_size(p, size ENGINE_CC);                                                                                             \
  }                                                                                                                              \
  void *pemalloc##suffix(size_t size, bool persistent context) {                                                                 \
    if (persistent)                                                                                                              \
      return checked(malloc(size));                                                                                              \
    fetch;                                                                                                                       \
    return do_malloc(size ENGINE_CC);                                                                                            \
  }                                                                                                                              \
  void pefree##suffix(void *p, bool persistent context) {                                                                        \
    if (persistent) {                                                                                                            \
      free(p);                                                                                                                   \
      return;                                                                                                                    \
    }                                                                                                                            \
    fetch;                                                                                                                       \
    do_free(p ENGINE_CC);                                                                                                        \
  }

#define ENGINE_NO_CONTEXT
ENGINE_ALLOCATOR(, ENGINE_NO_CONTEXT, ENGINE_FETCH)
#if ENGINE_HAS_CONTEXT
ENGINE_ALLOCATOR(ts, ENGINE_DC, (void)0)
#endif
