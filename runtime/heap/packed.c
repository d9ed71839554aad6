// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// packed.c - large blocks side by side, where address space is scarce.
//
// A run of whole pages for each block leaves up to half of its addresses unused. Nothing is behind them, so that costs nothing,
// but for a process whose address space is limited: there (fhi_slots_scarce) blocks of more than 32 KiB, up to 512 KiB, share
// runs. They have sizes of their own, eight to a doubling, each so many units of 4 KiB; and a run has as many pages as make a
// whole number of blocks without a rest, 16 blocks at most. At a segment's end, where no such run fits, half of one will do.
// Shared blocks of the two classes that fill a page worst, 24 and 28 KiB, are packed too; local ones are not, since an inlined
// free by such a size would push them.
//
// A run belongs to one size. It is known by its first page: which of the blocks are vacant, and which of these have no memory
// behind them. It is given back when the last block is free; until then vacant blocks keep their memory, but for malloc_trim.
#include "large.h"

enum {
  UnitShift = 12, // the packed alignment
  PageUnits = FHI_PAGE_SIZE >> UnitShift,
  ClassedUnits = FH_CLASSED_MAX >> UnitShift,
  LeastUnits = ClassedUnits - 2,
  MostUnits = 128,
  SizesShift = 3 // 8 sizes a doubling
};
_Static_assert(1 << UnitShift == FHI_PACKED_ALIGNMENT, "a run begins at a multiple of 64 KiB");
_Static_assert(ClassedUnits == 1 << SizesShift, "the first doubling begins behind the classes");

// Of a run: its size's number, the blocks' size, its pages.
struct shape {
  unsigned size, units, pages;
};

// false: a run of whole pages is as good.
static bool shape_of(size_t bytes, struct shape *shape) {
  size_t units = (bytes + ((size_t)1 << UnitShift) - 1) >> UnitShift;
  if (units < LeastUnits || units > MostUnits)
    return false;
  // Of those that have a class too, one after the other.
  unsigned shift = units <= ClassedUnits ? 0 : 31 - SizesShift - (unsigned)__builtin_clz((unsigned)units - 1), step = 1u << shift;
  shape->units = ((unsigned)units + step - 1) & ~(step - 1);
  shape->size = (shape->units >> shift) - LeastUnits + (shift << SizesShift);
  unsigned even = (unsigned)__builtin_ctz(shape->units | PageUnits); // halves that make no rest
  shape->pages = shape->units >> even;
  return shape->units % PageUnits != 0;
}

static void room_add(struct fhi_heap *heap, struct fhi_page *run) {
  run->previous = NULL;
  run->next = heap->packed[run->class];
  if (run->next)
    run->next->previous = run;
  heap->packed[run->class] = run;
}

static void room_remove(struct fhi_heap *heap, struct fhi_page *run) {
  if (run->next)
    run->next->previous = run->previous;
  if (run->previous)
    run->previous->next = run->next;
  else
    heap->packed[run->class] = run->next;
}

static uint16_t all_of(const struct fhi_page *run) { return (uint16_t)((1u << run->capacity) - 1); }

// Atomic, and relaxed: pairs with fhi_packed_vacant, by which another thread looks up a block that it holds; the others' bits do
// not matter to it.
static void set_vacant(struct fhi_page *run, unsigned vacant) {
  __atomic_store_n(&run->vacant, (uint16_t)vacant, __ATOMIC_RELAXED);
}

static struct fhi_page *run_new(struct fhi_heap *heap, const struct shape *shape) {
  unsigned length = shape->pages, half = (length + 1) / 2;
  bool zero;
  if (!fhi_run_find(heap, length, 1, false) && fhi_run_find(heap, half, 1, false))
    length = half;
  struct fhi_page *run = fhi_run_take(heap, length, 1, false, &zero);
  if (!run)
    return NULL;
  run->class = (uint8_t)shape->size;
  run->block = shape->units << UnitShift;
  run->capacity = (uint16_t)(length * PageUnits / shape->units);
  run->away = zero ? all_of(run) : 0;
  set_vacant(run, all_of(run));
  fhi_run_set(run, length, FHI_PAGE_PACKED);
  room_add(heap, run);
  return run;
}

void *fhi_packed_malloc(struct fhi_heap *heap, size_t size, bool *zero) {
  struct shape shape;
  if (!shape_of(size, &shape))
    return NULL;
  struct fhi_page *run = heap->packed[shape.size];
  if (!run && !(run = run_new(heap, &shape)))
    return NULL;
  unsigned index = (unsigned)__builtin_ctz(run->vacant), bit = 1u << index;
  *zero = (run->away & bit) != 0;
  run->away &= (uint16_t)~bit;
  set_vacant(run, run->vacant & ~bit);
  if (run->vacant == 0)
    room_remove(heap, run);
  return fhi_page_start(run) + (size_t)index * run->block;
}

void fhi_packed_free(struct fhi_heap *heap, struct fhi_page *run, const void *p) {
  unsigned index = (unsigned)((size_t)((const char *)p - fhi_page_start(run)) / run->block);
  if (run->vacant == 0)
    room_add(heap, run);
  set_vacant(run, run->vacant | 1u << index);
  if (run->vacant != all_of(run))
    return;
  room_remove(heap, run);
  fhi_run_free(heap, run);
}

void fhi_packed_move(struct fhi_heap *from, struct fhi_heap *to, struct fhi_page *run) {
  if (run->vacant == 0)
    return;
  room_remove(from, run);
  room_add(to, run);
}

size_t fhi_packed_trim(struct fhi_page *run) {
  size_t given = 0;
  for (unsigned idle = run->vacant & ~(unsigned)run->away; idle != 0; idle &= idle - 1) {
    unsigned index = (unsigned)__builtin_ctz(idle);
    if (!fhi_os_purge(fhi_page_start(run) + (size_t)index * run->block, run->block))
      break;
    run->away |= (uint16_t)(1u << index);
    given += run->block;
  }
  return given;
}
