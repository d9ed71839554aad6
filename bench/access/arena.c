/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * arena.c - the part of freehold/heap.h that the engine needs, for machines that Freehold's heap is not for (32 bits): lists of
 * freed blocks by size, else the next bytes of one range, which a reset empties. Not what is measured: it is the same in every
 * mode.
 */
#ifndef FREEHOLD_NO_INLINE
#define FREEHOLD_NO_INLINE 1
#endif
#include <freehold/heap.h>
#include <string.h>
#include <sys/mman.h>

enum { RANGE = 1 << 30, UNIT = 16, CLASSES = 64, HEADER = UNIT };

struct block {
  size_t units;       /* of the block, this header not counted */
  struct block *next; /* while it is free */
};

static __thread struct arena {
  char *begin, *next, *end;
  struct block *free[CLASSES + 1];
} own;

fh_heap_t *fh_heap_self(void) {
  if (!own.begin) {
    void *range = mmap(NULL, RANGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range != MAP_FAILED) {
      own.begin = own.next = range;
      own.end = own.begin + RANGE;
    }
  }
  return (fh_heap_t *)(void *)&own;
}

static struct arena *of(fh_heap_t *heap) { return (struct arena *)(void *)heap; }

void *fh_heap_malloc(fh_heap_t *heap, size_t size) {
  struct arena *arena = of(heap);
  size_t units = size ? (size + UNIT - 1) / UNIT : 1;
  struct block *block = units <= CLASSES ? arena->free[units] : NULL;
  if (block) {
    arena->free[units] = block->next;
  } else {
    if (units >= (size_t)(arena->end - arena->next) / UNIT)
      return NULL;
    block = (struct block *)(void *)arena->next;
    block->units = units;
    arena->next += HEADER + units * UNIT;
  }
  return (char *)block + HEADER;
}

void fh_heap_free(fh_heap_t *heap, void *p) {
  struct arena *arena = of(heap);
  struct block *block = p ? (struct block *)(void *)((char *)p - HEADER) : NULL;
  if (block && block->units <= CLASSES) {
    block->next = arena->free[block->units];
    arena->free[block->units] = block;
  }
}

void fh_heap_free_sized(fh_heap_t *heap, void *p, size_t size) {
  (void)size;
  fh_heap_free(heap, p);
}

void *fh_heap_calloc(fh_heap_t *heap, size_t count, size_t size) {
  size_t bytes;
  void *p = __builtin_mul_overflow(count, size, &bytes) ? NULL : fh_heap_malloc(heap, bytes);
  return p ? memset(p, 0, bytes) : NULL;
}

void *fh_heap_realloc(fh_heap_t *heap, void *p, size_t size) {
  size_t has = p ? ((struct block *)(void *)((char *)p - HEADER))->units * UNIT : 0;
  if (p && size <= has)
    return p;
  void *other = fh_heap_malloc(heap, size);
  if (other && p) {
    memcpy(other, p, has);
    fh_heap_free(heap, p);
  }
  return other;
}

/* A request marks an empty heap. */
fh_mark_t fh_heap_mark(fh_heap_t *heap) {
  fh_mark_t mark = {of(heap)->next == of(heap)->begin};
  return mark;
}

void fh_heap_reset(fh_heap_t *heap, fh_mark_t mark) {
  if (!mark.serial)
    return;
  struct arena *arena = of(heap);
  arena->next = arena->begin;
  memset(arena->free, 0, sizeof arena->free);
}
