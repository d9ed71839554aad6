// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// trim.c - malloc_trim: gives back all memory that holds no block, down to single system pages inside partly used pages.
//
// A system page all of whose blocks are free is purged, and its bit is set in the descriptor's `away`. Its blocks leave the free
// list, which would keep them in memory; they are the blocks that overlap a system page whose bit is set, so nothing else need be
// remembered of them. page.c fetches them back when the page has no other block left.
//
// Other threads' heaps are theirs alone: they are asked (fhi_trim_asked), and obey at their next slow path.
#include "cache.h"
#include "fast.h"
#include "large.h"
#include "threads.h"

#include <string.h>

_Atomic(uint32_t) fhi_trim_asked;

enum { SystemShift = 12, SystemSize = 1 << SystemShift, SystemPages = 1 << (FHI_PAGE_SHIFT - SystemShift) };

// Bits of the system pages that `size` bytes at `offset` overlap.
static uint16_t overlap(uint32_t offset, uint32_t size) {
  unsigned first = offset >> SystemShift, last = (offset + size - 1) >> SystemShift;
  return (uint16_t)((2u << last) - (1u << first));
}

bool fhi_block_is_away(const struct fhi_page *page, unsigned index) {
  return (overlap(index * page->block, page->block) & page->away) != 0;
}

void fhi_page_fetch(struct fhi_page *page, void **list) {
  char *start = fhi_page_start(page);
  while (page->away != 0 && !*list) {
    unsigned place = (unsigned)__builtin_ctz(page->away) << SystemShift;
    page->away &= (uint16_t)(page->away - 1);
    // Those that overlap another one that is away still wait for it.
    for (unsigned i = place / page->block; i * page->block < place + SystemSize && i < page->carved; ++i)
      if (!fhi_block_is_away(page, i)) {
        void *block = start + (size_t)i * page->block;
        *(void **)block = *list;
        *list = block;
      }
  }
}

static void purge_bits(char *start, unsigned bits) {
  for (unsigned first = 0; bits >> first != 0; ++first) {
    unsigned length = 0;
    while ((bits >> (first + length) & 1) != 0)
      ++length;
    if (length != 0)
      fhi_os_purge(start + (first << SystemShift), (size_t)length << SystemShift);
    first += length;
  }
}

// The page is of a class and not current. Bytes given back.
static size_t trim_page(struct fhi_page *page) {
  char *start = fhi_page_start(page);
  uint64_t free_blocks[FHI_PAGE_SIZE / 16 / 64] = {0};
  uint32_t carved_end = page->carved * page->block;
  for (void *p = page->free; p; p = *(void **)p) {
    unsigned i = (uint32_t)((char *)p - start) / page->block;
    free_blocks[i / 64] |= (uint64_t)1 << (i % 64);
  }
  // What other threads freed: in the bitmap, which goes by the same numbers.
  size_t bitmap = page->returned != 0 ? (page->capacity + 63u) / 64 : 0;
  for (size_t word = 0; word < bitmap; ++word)
    free_blocks[word] |= fhi_bitmap_of(page)[word];
  // A system page is busy if a block in use overlaps it, and while carving has not passed its end.
  uint16_t busy = 0;
  for (unsigned i = 0; i < page->carved; ++i)
    if ((free_blocks[i / 64] >> (i % 64) & 1) == 0 && !fhi_block_is_away(page, i))
      busy |= overlap(i * page->block, page->block);
  if (page->carved < page->capacity && (carved_end & (SystemSize - 1)) != 0)
    busy |= (uint16_t)(1u << (carved_end >> SystemShift));
  unsigned rest = (carved_end + SystemSize - 1) >> SystemShift; // system pages where nothing was carved
  unsigned carved_bits = (1u << rest) - 1;
  uint16_t gone = (uint16_t)(~busy & ~page->away);
  if ((gone & carved_bits) == 0 && rest == SystemPages)
    return 0;
  if (bitmap != 0)
    memset(fhi_bitmap_of(page), 0, bitmap * sizeof(uint64_t));
  page->returned = 0;
  page->away |= gone & (uint16_t)carved_bits;
  purge_bits(start, gone);
  void **last = &page->free;
  for (unsigned i = 0; i < page->carved; ++i)
    if ((free_blocks[i / 64] >> (i % 64) & 1) != 0 && !fhi_block_is_away(page, i)) {
      *last = start + (size_t)i * page->block;
      last = (void **)*last;
    }
  *last = NULL;
  return (size_t)__builtin_popcount(gone & carved_bits) << SystemShift;
}

size_t fhi_heap_trim(struct fhi_heap *heap) {
  size_t given, inside = 0;
  heap->idle.trimmed = atomic_load_explicit(&fhi_trim_asked, memory_order_relaxed);
  fhi_idle_forget(heap);
  if (heap->live_heads && !heap->late)
    fhi_heads_flush(heap, true);
  given = fhi_heap_purge(heap);
  for (struct fhi_segment *segment = heap->segments; segment; segment = segment->next) {
    for (unsigned i = 0; i < FHI_PAGES; ++i) {
      struct fhi_page *page = &fhi_pages(segment)[i];
      if (page->state == FHI_PAGE_CLASS && page->used < FHI_CURRENT)
        inside += trim_page(page);
      else if (page->state == FHI_PAGE_PACKED)
        inside += fhi_packed_trim(page);
    }
  }
  fhi_count(&heap->counters.purged_bytes, inside);
  return given + inside;
}

size_t fhi_trim(void) {
  struct fhi_self *self = fhi_self();
  atomic_fetch_add_explicit(&fhi_trim_asked, 1, memory_order_relaxed);
  // First what orphans' pages wait for.
  if (self->shared != &fhi_no_heap)
    fhi_heads_flush(self->shared, true);
  fhi_depot_empty(self->shared);
  size_t given = fhi_orphans_trim();
  if (self->shared != &fhi_no_heap)
    given += fhi_heap_trim(self->shared);
  for (struct fhi_heap *level = self->local->root; level; level = level->above)
    given += fhi_heap_trim(level);
  fhi_lock();
  given += fhi_cache_drop_all();
  fhi_unlock();
  return given;
}
