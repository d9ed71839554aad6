// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hardened.c - malloc and free of the hardened heap (FREEHOLD_CHECK=check|guard): every free is judged, every misuse stops. See
// hard.h for where what is known of blocks lies.
#include "../os/options.h"
#include "hard.h"
#include "threads.h"

#include <string.h>
#include <unistd.h>

#ifndef FHI_CHECK_DEFAULT
#define FHI_CHECK_DEFAULT FHI_CHECK_OFF
#endif

_Atomic(int) fhi_check_mode = FHI_CHECK_UNKNOWN;

enum {
  KeepFree = 16 // so many free blocks of a page wait, if there are fresh ones, before one of them is given out again
};

void fhi_hardened_set(enum fhi_check_mode mode) {
  struct fhi_self *self = fhi_self();
  fhi_hard_secret_make();
  atomic_store_explicit(&fhi_check_mode, mode, memory_order_relaxed);
  if (mode == FHI_CHECK_OFF)
    return;
  if (self->local != &fhi_no_heap)
    fhi_heads_flush(self->local, true);
  if (self->shared != &fhi_no_heap) {
    fhi_keep_stop(self->shared);
    fhi_heads_flush(self->shared, true);
  }
  fhi_push_update();
}

bool fhi_hardened_start(void) {
  if (!environ)
    return false; // libc has not begun yet
  int mode = fhi_options_check(environ, FHI_CHECK_DEFAULT);
  fhi_hardened_set((enum fhi_check_mode)mode);
  return mode != FHI_CHECK_OFF;
}

static pid_t my_tid(void) {
  struct fhi_thread *thread = fhi_self()->thread;
  return thread ? thread->tid : fhi_os_tid();
}

static void look_at_canary(const struct fhi_hard_block *block, uint64_t word) {
  size_t size = fhi_word_size(word);
  if (FHI_UNLIKELY(!fhi_canary_intact(block->start, size, block->end)))
    fhi_stop_overflow(block, word, fhi_canary_where(block->start, size, block->end));
}

// ---- blocks go out ----

static unsigned pick(struct fhi_hard *hard, struct fhi_hard_segment *segment, struct fhi_hard_page *page) {
  uint16_t *order = segment->order[page->index];
  if (fhi_guard() && page->carved == 0) {
    for (unsigned i = 0; i < page->capacity; ++i)
      order[i] = (uint16_t)i;
    page->carved = page->free_count = page->capacity;
  }
  if (page->free_count == 0 || (page->free_count < KeepFree && page->carved < page->capacity))
    return page->carved++;
  uint16_t *first = &order[page->oldest];
  if (fhi_guard()) {
    uint16_t *other = &order[(page->oldest + fhi_hard_random(hard) % page->free_count) % FHI_HARD_BLOCKS], swap = *other;
    *other = *first;
    *first = swap;
  }
  page->oldest = (uint16_t)((page->oldest + 1) % FHI_HARD_BLOCKS);
  --page->free_count;
  return *first;
}

static uint64_t live_word(size_t size, size_t alignment) { return fhi_word(FHI_HARD_LIVE, __builtin_ctzl(alignment), size); }

static void *small_malloc(struct fhi_heap *heap, unsigned class, size_t size, size_t alignment) {
  struct fhi_hard *hard = heap->hard;
  struct fhi_hard_page *page = hard->room[class];
  if (!page && !(page = fhi_hard_page_new(heap, class)))
    return NULL;
  struct fhi_hard_segment *segment = fhi_hard_segment_of(page);
  unsigned index = pick(hard, segment, page);
  struct fhi_hard_block block = {
      .segment = segment, .page = page, .index = index, .small = true, .word = &segment->words[page->index][index]};
  block.start = segment->start + ((size_t)page->index << FHI_PAGE_SHIFT) + (size_t)index * page->block;
  block.end = block.start + page->block;
  hard->retained -= page->out++ == 0;
  if (page->free_count == 0 && page->carved == page->capacity)
    fhi_hard_room_remove(hard, page);
  uint64_t word = atomic_load_explicit(block.word, memory_order_relaxed);
  if (fhi_word_state(word) == FHI_HARD_FREED)
    fhi_hard_look_at_poison(&block, word);
  atomic_store_explicit(block.word, live_word(size, alignment), memory_order_relaxed);
  fhi_canary_write(block.start, size, block.end);
  return block.start;
}

static void *large_malloc(struct fhi_heap *heap, size_t size, size_t asked, bool *zero) {
  size_t alignment = asked < 16 ? 16 : asked;
  bool guard = fhi_guard();
  size_t extra = guard ? 2 * (size_t)FHI_SYSTEM_PAGE : 1;
  // Runs begin at multiples of 64 KiB; under guard a block is placed by its end.
  if (alignment > (guard ? 16 : FHI_PAGE_SIZE))
    extra += alignment;
  char *begin, *end;
  struct fhi_hard_page *page = fhi_hard_run_new(heap, size + extra, &begin, &end, zero);
  if (!page)
    return NULL;
  uintptr_t start = guard ? ((uintptr_t)end - FHI_SYSTEM_PAGE - size) & ~(alignment - 1)
                          : ((uintptr_t)begin + alignment - 1) & ~(alignment - 1);
  page->start = (char *)start;
  page->end = guard ? fhi_guard_around(begin, page->start, size, end) : end;
  fhi_canary_write(page->start, size, page->end);
  atomic_store_explicit(&page->word, live_word(size, asked), memory_order_relaxed);
  return page->start;
}

// The class whose blocks have room for the size and one byte, all of them aligned; FH_CLASS_COUNT: there is none.
static unsigned class_for(size_t size, size_t alignment) {
  size_t room = size + 1 < FHI_HARD_BLOCK_MIN ? FHI_HARD_BLOCK_MIN : size + 1;
  if (room > FH_CLASSED_MAX || alignment > FH_CLASSED_MAX)
    return FH_CLASS_COUNT;
  unsigned class = fh_class_of(room);
  while (class < FH_CLASS_COUNT && (fh_class_size(class) & (alignment - 1)) != 0)
    ++class;
  return class;
}

static void *try_malloc(struct fhi_heap *heap, size_t size, size_t alignment, bool *zero) {
  unsigned class = class_for(size, alignment);
  return class < FH_CLASS_COUNT ? small_malloc(heap, class, size, alignment) : large_malloc(heap, size, alignment, zero);
}

void *fhi_hardened_malloc(struct fhi_heap *heap, size_t size, size_t alignment, bool *zero) {
  struct fhi_hard *hard = fhi_hard_of(heap);
  *zero = false;
  if (!hard || size >> 39 != 0 || alignment >> 39 != 0)
    return NULL;
  if (atomic_load_explicit(&hard->remote, memory_order_relaxed))
    fhi_hard_drain(heap);
  void *p = try_malloc(heap, size, alignment, zero);
  if (FHI_UNLIKELY(!p) && hard->quarantine_count != 0) {
    fhi_hard_quarantine_empty(heap);
    fhi_hard_release(hard, 0);
    p = try_malloc(heap, size, alignment, zero);
  }
  return p;
}

void fhi_hardened_by_class(void *p) {
  struct fhi_hard_block block;
  if (fhi_hard_find(p, &block) && block.word)
    atomic_store_explicit(block.word,
                          atomic_load_explicit(block.word, memory_order_relaxed) - FHI_HARD_LIVE + FHI_HARD_LIVE_CLASS,
                          memory_order_relaxed);
}

// ---- what a caller hands in ----

// Was it a local block of a thread that has ended, or of one that a fork left behind?
static bool is_dead(const void *p, const struct fhi_hard_block *block) { return block->page->dead || fhi_slot_retired(p); }

// All that can be wrong with p; returns if it is a live block of another thread's shared heap.
static FHI_NOINLINE void judge_slow(const void *p, const struct fhi_hard_block *block, uint64_t word, const char *do_what) {
  if (!block->word)
    fhi_stop_invalid(p, do_what);
  bool live = fhi_word_live(word);
  if (is_dead(p, block) || (live && block->segment->heap->kind == FHI_LOCAL && !fhi_is_mine(block->segment->heap))) {
    struct fhi_block common;
    bool found;
    fhi_hardened_block_at(p, &common, &found);
    fhi_stop_wrong_thread(p, &common);
  }
  if (fhi_word_state(word) == FHI_HARD_NONE)
    fhi_stop_invalid(p, do_what);
  if (p != block->start)
    fhi_stop_inside(p, block, word, do_what);
  if (!live)
    fhi_stop_freed_twice(block, word, do_what);
}

// The word of the live block that begins at p and that this thread may touch; else the program stops.
static uint64_t judge(const void *p, const struct fhi_hard_block *block, const char *do_what) {
  uint64_t word = block->word ? atomic_load_explicit(block->word, memory_order_acquire) : 0;
  if (FHI_UNLIKELY(p != block->start || !fhi_word_live(word) || block->page->dead || !fhi_is_mine(block->segment->heap)))
    judge_slow(p, block, word, do_what);
  look_at_canary(block, word);
  return word;
}

static bool size_fits(uint64_t word, size_t size) {
  size_t asked = fhi_word_size(word);
  if (fhi_word_state(word) == FHI_HARD_LIVE_CLASS)
    return size <= FH_CLASSED_MAX && fh_class_of(size) == fh_class_of(asked);
  return size == asked || (size == 0 && asked == 1); // operator new(0) asks for a byte
}

// Takes the word from live to freed; who comes second stops.
static void mark_freed(const struct fhi_hard_block *block, uint64_t word) {
  uint64_t freed = fhi_word(FHI_HARD_FREED, my_tid(), fhi_word_size(word));
  if (block->segment->heap->kind == FHI_LOCAL)
    atomic_store_explicit(block->word, freed, memory_order_relaxed);
  else if (!atomic_compare_exchange_strong_explicit(block->word, &word, freed, memory_order_acq_rel, memory_order_acquire))
    fhi_stop_freed_twice(block, word, "free");
  if (FHI_LIKELY(block->small)) {
    fhi_hard_poison(block);
    return;
  }
  char *begin = fhi_hard_page_start(block->segment, block->page);
  size_t size = fhi_hard_run_size(block->segment, block->page);
  bool mine = fhi_is_mine(block->segment->heap);
  if (fhi_guard())
    fhi_guard_close(begin, begin + size);
  // In quarantine, or until its owner looks, it shall cost no memory.
  if (fhi_guard() || !mine)
    fhi_os_purge(begin, size);
}

static void release(const struct fhi_hard_block *block, uint64_t word) {
  struct fhi_heap *heap = block->segment->heap;
  mark_freed(block, word);
  if (fhi_is_mine(heap)) {
    fhi_hard_retire(heap, block);
  } else {
    fhi_count_sent();
    fhi_hard_push(heap->hard, block);
  }
}

void fhi_hardened_aligned(const void *p, size_t alignment) {
  struct fhi_hard_block block;
  if (!fhi_hard_find(p, &block))
    return;
  uint64_t word = judge(p, &block, "free");
  size_t asked = fhi_word_alignment(word); // 1: by a function that takes none, or a realloc
  if (alignment == 0 || ((uintptr_t)p & (alignment - 1)) != 0 || (asked != 1 && asked != alignment))
    fhi_stop_wrong_alignment(&block, word, alignment);
}

bool fhi_hardened_free(void *p, bool sized, size_t size) {
  struct fhi_hard_block block;
  if (!fhi_hard_find(p, &block))
    return false;
  uint64_t word = judge(p, &block, "free");
  if (sized && !size_fits(word, size))
    fhi_stop_wrong_size(&block, word, size);
  release(&block, word);
  return true;
}

// By compare-and-swap, as mark_freed: a free by another thread meanwhile, which is misuse, must not be undone.
static void resize_in_place(const struct fhi_hard_block *block, uint64_t word, size_t size) {
  uint64_t resized = live_word(size, 1);
  if (!atomic_compare_exchange_strong_explicit(block->word, &word, resized, memory_order_acq_rel, memory_order_acquire))
    fhi_stop_freed_twice(block, word, "realloc");
  fhi_canary_write(block->start, size, block->end);
}

bool fhi_hardened_realloc(void *p, size_t size, void **result) {
  struct fhi_hard_block block;
  bool zero;
  if (!fhi_hard_find(p, &block))
    return false;
  uint64_t word = judge(p, &block, "realloc");
  size_t old = fhi_word_size(word), room = (size_t)(block.end - block.start);
  *result = NULL;
  if (size == 0) {
    release(&block, word);
    return true;
  }
  // Under guard every other size moves: who kept the old pointer is found.
  bool older = fhi_is_older(block.segment->heap);
  if (!fhi_guard() && size < room && (size >= room / 2 || room <= 64) && !older) {
    resize_in_place(&block, word, size);
    *result = p;
    return true;
  }
  struct fhi_heap *heap = block.segment->heap->kind == FHI_LOCAL ? fhi_local_heap() : fhi_shared_heap();
  *result = heap ? fhi_hardened_malloc(heap, size, 1, &zero) : NULL;
  if (!*result) {
    if (size > old || older)
      return true;
    resize_in_place(&block, word, size); // a shrink never fails
    *result = p;
    return true;
  }
  memcpy(*result, p, old < size ? old : size);
  release(&block, word);
  return true;
}

bool fhi_hardened_usable_size(const void *p, size_t *size) {
  struct fhi_hard_block block;
  if (!fhi_hard_find(p, &block))
    return false;
  *size = fhi_word_size(judge(p, &block, "malloc_usable_size"));
  return true;
}

bool fhi_hardened_block_at(const void *p, struct fhi_block *block, bool *found) {
  struct fhi_hard_block hard;
  if (!fhi_hard_find(p, &hard))
    return false;
  *block = (struct fhi_block){.segment = hard.segment->segment};
  *found = false;
  if (!hard.word)
    return true;
  uint64_t word = atomic_load_explicit(hard.word, memory_order_relaxed);
  block->start = hard.start;
  block->size = fhi_word_size(word);
  block->dead = hard.page->dead;
  if (fhi_slot_retired(p))
    block->segment = NULL;
  *found = fhi_word_live(word);
  return true;
}

// ---- all blocks of a heap at once ----

static void drop_block(struct fhi_heap *heap, char *p) {
  struct fhi_hard_block block;
  if (!fhi_hard_find(p, &block) || !block.word)
    return;
  uint64_t word = atomic_load_explicit(block.word, memory_order_relaxed);
  if (!fhi_word_live(word))
    return;
  look_at_canary(&block, word);
  mark_freed(&block, word);
  fhi_hard_retire(heap, &block);
}

static void drop_page(struct fhi_heap *heap, struct fhi_hard_segment *segment, struct fhi_hard_page *page) {
  if (page->layout == FHI_HARD_RUN) {
    drop_block(heap, page->start);
  } else if (page->layout == FHI_HARD_CLASS) {
    char *start = fhi_hard_page_start(segment, page);
    for (unsigned i = 0; i < page->carved && page->out != 0; ++i)
      drop_block(heap, start + (size_t)i * page->block);
  }
}

void fhi_hardened_reset(struct fhi_heap *heap) {
  if (!heap->hard)
    return;
  heap->hard->hold = true;
  for (struct fhi_hard_segment *next, *segment = heap->hard->segments; segment; segment = next) {
    next = segment->next;
    // A page that is given back while its blocks are dropped is the last one that is looked at.
    for (uint64_t taken = segment->huge ? 1 : ~segment->free_pages; taken != 0; taken &= taken - 1)
      drop_page(heap, segment, &segment->pages[__builtin_ctzll(taken)]);
  }
  fhi_hard_quarantine_empty(heap);
  heap->hard->hold = false;
  fhi_hard_release(heap->hard, FHI_HARD_KEEP_EMPTY);
}
