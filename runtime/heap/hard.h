// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// hard.h - the data structures of the hardened heap.
//
// A heap's hardened part has segments of its own: slots of the same two ranges, so that kind, owner check, limits and fork need
// to know nothing of it. All that it knows of blocks lies apart from them, where no overflow and no write after free reaches:
//
//   word    64 bits a block: state, who freed it, the size that was asked for. A free takes the word from live to freed, of a
//           shared block by compare-and-swap: of two frees, however they race, exactly one wins, and the other one stops.
//   order   a page's free blocks as indices, oldest first: no link lies in a block.
//   link    a block freed by another thread than its owner is chained into the owner's list through its link.
//
// A block is at least one byte larger than asked for; the bytes behind the asked ones hold a pattern (the canary) that is looked
// at when it is freed. A freed block holds a poison pattern that is looked at before it is given out again.
//
// Under `guard` free blocks are picked at random, freed ones wait in the quarantine first, and pages that are never accessible
// lie behind each page of blocks and around large ones, whose end is placed against it.
//
// Written by the owning thread only, but for words of shared blocks, links, and the list of remote frees.
#ifndef FHI_HARD_H
#define FHI_HARD_H

#include "hardened.h"

#include <string.h>

enum {
  FHI_HARD_BLOCK_MIN = 32,
  FHI_HARD_BLOCKS = 65536 / FHI_HARD_BLOCK_MIN, // most in a page
  FHI_HARD_QUARANTINE = 1024,                   // blocks
  FHI_SYSTEM_PAGE = 4096
};
#define FHI_HARD_QUARANTINE_SMALL ((size_t)256 << 10) // bytes of memory that it holds back
#define FHI_HARD_QUARANTINE_LARGE ((size_t)64 << 20)  // bytes of addresses without memory

// A block's word: state in bits 0 and 1, in bits 2 to 23 the thread that freed it, or while it is live the logarithm of the
// alignment that was asked for; size from bit 24.
enum { FHI_HARD_NONE, FHI_HARD_LIVE, FHI_HARD_LIVE_CLASS, FHI_HARD_FREED };
typedef _Atomic(uint64_t) fhi_hard_word;
static inline unsigned fhi_word_state(uint64_t word) { return word & 3; }
static inline pid_t fhi_word_tid(uint64_t word) { return (pid_t)(word >> 2 & 0x3fffff); }
static inline size_t fhi_word_size(uint64_t word) { return word >> 24; }
static inline uint64_t fhi_word(unsigned state, pid_t tid, size_t size) {
  return state | (uint64_t)((uint32_t)tid & 0x3fffff) << 2 | (uint64_t)size << 24;
}
static inline size_t fhi_word_alignment(uint64_t word) { return (size_t)1 << (word >> 2 & 63); }
static inline bool fhi_word_live(uint64_t word) {
  return fhi_word_state(word) == FHI_HARD_LIVE || fhi_word_state(word) == FHI_HARD_LIVE_CLASS;
}

enum fhi_hard_layout { FHI_HARD_EMPTY, FHI_HARD_CLASS, FHI_HARD_RUN, FHI_HARD_REST };

// One page of 64 KiB. The layout outlives the page's use, so that a late free still finds what was there.
struct fhi_hard_page {
  uint8_t layout, class;
  uint8_t index;                         // in its segment
  uint8_t first, length;                 // of the run; FHI_HARD_REST knows `first` only
  uint16_t capacity, carved;             // blocks; those below `carved` were given out at least once or are in `order`
  uint16_t oldest, free_count;           // of the ring `order`
  uint16_t out;                          // blocks that are live, on their way back, or in quarantine
  uint32_t block, inverse;               // block size; ceil(2^32 / block): offset * inverse >> 32 is the block's index
  pid_t dead;                            // it held live local blocks when this thread, their owner, ended: never used again
  fhi_hard_word word;                    // of a run's or a huge mapping's block
  void *link;                            // the same
  char *start, *end;                     // the same: the block, and the end of what is accessible behind it
  struct fhi_hard_page *next, *previous; // pages of the class with free blocks
};

struct fhi_hard_segment {
  struct fhi_segment *segment; // the slot's header
  struct fhi_heap *heap;
  char *start;
  size_t size;
  bool huge, empty;
  uint8_t dead_pages;
  uint64_t free_pages, touched_pages;
  uint64_t closed_pages; // free, but guard pages in them could not be made accessible again
  struct fhi_hard_segment *next, *previous;
  struct fhi_hard_page pages[FHI_PAGES];
  // A huge mapping's ends here.
  uint16_t order[FHI_PAGES][FHI_HARD_BLOCKS] __attribute__((aligned(FHI_SYSTEM_PAGE)));
  fhi_hard_word words[FHI_PAGES][FHI_HARD_BLOCKS];
  void *links[FHI_PAGES][FHI_HARD_BLOCKS];
};
#define FHI_HARD_HUGE_SIZE offsetof(struct fhi_hard_segment, order)

struct fhi_hard {
  struct fhi_hard_page *room[FH_CLASS_COUNT];
  struct fhi_hard_segment *segments; // huge ones too
  struct fhi_hard_segment *spare, *spare_huge;
  unsigned empty_count, spare_count;
  unsigned retained; // pages without a block that stay with their class
  size_t idle_pages; // free, their memory kept
  size_t idle_stuck; // of those: so many could not be purged
  bool hold;         // empty segments are counted, but stay
  uint64_t random;
  _Atomic(void *) remote;
  unsigned quarantine_first, quarantine_count;
  size_t quarantine_small, quarantine_large;
  void *quarantine[FHI_HARD_QUARANTINE];
};

// What is known of an address.
struct fhi_hard_block {
  struct fhi_hard_segment *segment;
  struct fhi_hard_page *page;
  fhi_hard_word *word;
  void **link;
  char *start, *end; // the block with all its slack
  unsigned index;    // in its page; 0 for runs
  bool small;
};

static inline char *fhi_hard_page_start(const struct fhi_hard_segment *segment, const struct fhi_hard_page *page) {
  return segment->start + ((size_t)page->index << FHI_PAGE_SHIFT);
}
static inline struct fhi_hard_segment *fhi_hard_segment_of(struct fhi_hard_page *page) {
  return (struct fhi_hard_segment *)(void *)((char *)(page - page->index) - offsetof(struct fhi_hard_segment, pages));
}
// Bytes of a run, or of a huge mapping.
static inline size_t fhi_hard_run_size(const struct fhi_hard_segment *segment, const struct fhi_hard_page *page) {
  return segment->huge ? segment->size : (size_t)page->length << FHI_PAGE_SHIFT;
}

// ---- hard_segment.c ----
// By slot. An entry outlives its segment, until the slot is used again: records are never unmapped.
extern FHI_HIDDEN struct fhi_hard_segment *_Atomic fhi_hard_segments[FHI_SLOT_COUNT];

// The block whose place p is in, whatever its state; word == NULL: there is none. false: no hardened segment was ever there.
static inline bool fhi_hard_find(const void *p, struct fhi_hard_block *block) {
  size_t slot = fhi_slot_of(p);
  if (FHI_UNLIKELY(slot >= FHI_SLOT_COUNT))
    return false;
  // Acquire, paired with the release in announce(): the record is complete.
  struct fhi_hard_segment *segment = atomic_load_explicit(&fhi_hard_segments[slot], memory_order_acquire);
  if (FHI_UNLIKELY(!segment))
    return false;
  struct fhi_hard_page *page = &segment->pages[segment->huge ? 0 : fhi_page_index(p)];
  block->segment = segment;
  block->small = page->layout == FHI_HARD_CLASS;
  block->word = NULL;
  block->start = block->end = NULL;
  block->index = 0;
  if (FHI_LIKELY(block->small)) {
    block->page = page;
    block->index = (uint32_t)((uint64_t)((uintptr_t)p & (FHI_PAGE_SIZE - 1)) * page->inverse >> 32);
    if (FHI_UNLIKELY(block->index >= page->capacity))
      return true;
    block->word = &segment->words[page->index][block->index];
    block->link = &segment->links[page->index][block->index];
    block->start = fhi_hard_page_start(segment, page) + (size_t)block->index * page->block;
    block->end = block->start + page->block;
    return true;
  }
  block->page = page = page->layout == FHI_HARD_REST ? &segment->pages[page->first] : page;
  if (page->layout != FHI_HARD_RUN)
    return true;
  block->word = &page->word;
  block->link = &page->link;
  block->start = page->start;
  block->end = page->end;
  return true;
}

FHI_HIDDEN struct fhi_hard *fhi_hard_of(struct fhi_heap *heap); // made at need; NULL: no memory
// A page for blocks of the class, in the class's room; NULL: no memory.
FHI_HIDDEN struct fhi_hard_page *fhi_hard_page_new(struct fhi_heap *heap, unsigned class);
FHI_HIDDEN void fhi_hard_room_add(struct fhi_hard *hard, struct fhi_hard_page *page);
FHI_HIDDEN void fhi_hard_room_remove(struct fhi_hard *hard, struct fhi_hard_page *page);
// A page without a block goes back to its segment.
FHI_HIDDEN void fhi_hard_page_retire(struct fhi_heap *heap, struct fhi_hard_segment *segment, struct fhi_hard_page *page);
// Memory for a large block: *begin and *end are set. NULL: no memory.
FHI_HIDDEN struct fhi_hard_page *fhi_hard_run_new(struct fhi_heap *heap, size_t size, char **begin, char **end, bool *zero);
// All of it is accessible, if it is `open`.
FHI_HIDDEN void fhi_hard_run_free(struct fhi_heap *heap, struct fhi_hard_segment *segment, struct fhi_hard_page *page, bool open);
// Unmaps empty segments but for `keep`.
FHI_HIDDEN void fhi_hard_release(struct fhi_hard *hard, unsigned keep);
enum { FHI_HARD_KEEP_EMPTY = 2 };

// ---- hard_back.c ----
// A small block is marked as freed; later, if it was written to, that stops.
FHI_HIDDEN void fhi_hard_poison(const struct fhi_hard_block *block);
FHI_HIDDEN void fhi_hard_look_at_poison(const struct fhi_hard_block *block, uint64_t word);
// A block of this thread's heap that is marked as freed.
FHI_HIDDEN void fhi_hard_retire(struct fhi_heap *heap, const struct fhi_hard_block *block);
// One of another thread's heap, which takes it over when it drains.
FHI_HIDDEN void fhi_hard_push(struct fhi_hard *hard, const struct fhi_hard_block *block);
FHI_HIDDEN void fhi_hard_drain(struct fhi_heap *heap);
// Takes every block out of quarantine.
FHI_HIDDEN void fhi_hard_quarantine_empty(struct fhi_heap *heap);

// ---- guard.c ----
static inline bool fhi_guard(void) { return atomic_load_explicit(&fhi_check_mode, memory_order_relaxed) == FHI_CHECK_GUARD; }
FHI_HIDDEN uint64_t fhi_hard_random(struct fhi_hard *hard);
// Random, the same in all of the process; set when the mode is.
extern FHI_HIDDEN uint64_t fhi_hard_secret;
FHI_HIDDEN void fhi_hard_secret_make(void);

// The canary: the pattern in up to 16 bytes behind the asked ones. A block has at least 8 bytes, so the last 8 of its slack can
// be read at once. No byte of the pattern is zero, which is what most overflows write.
static inline uint64_t fhi_canary(const char *p) {
  return ((fhi_hard_secret ^ (uintptr_t)p) * 0x9e3779b97f4a7c15u) | 0x8080808080808080u;
}

static inline void fhi_canary_write(char *p, size_t size, char *end) {
  size_t slack = (size_t)(end - p) - size;
  uint64_t pattern = fhi_canary(p), last;
  if (slack >= 8) {
    memcpy(p + size + (slack < 16 ? slack : 16) - 8, &pattern, 8);
    memcpy(p + size, &pattern, 8);
  } else if (slack != 0) {
    uint64_t mask = ~(uint64_t)0 << (64 - 8 * slack);
    memcpy(&last, end - 8, 8);
    last = (last & ~mask) | (pattern & mask);
    memcpy(end - 8, &last, 8);
  }
}

static inline bool fhi_canary_intact(const char *p, size_t size, const char *end) {
  size_t slack = (size_t)(end - p) - size;
  uint64_t pattern = fhi_canary(p), first, last;
  if (slack >= 16) {
    memcpy(&first, p + size, 8);
    memcpy(&last, p + size + 8, 8);
    return first == pattern && last == pattern;
  }
  if (slack == 0)
    return true;
  memcpy(&last, end - 8, 8);
  if (slack < 8)
    return (last ^ pattern) >> (64 - 8 * slack) == 0;
  // The two halves overlap where the slack is less than 16 bytes: the first was written last.
  memcpy(&first, p + size, 8);
  unsigned shared = (unsigned)(16 - slack) * 8;
  return first == pattern && (shared == 64 || last >> shared == pattern >> shared);
}
// Offset behind p of the first wrong byte.
FHI_HIDDEN size_t fhi_canary_where(const char *p, size_t size, const char *end);

enum { FHI_POISON = 0xdb };
// A freed block's content: `size` bytes, a multiple of 8. The check returns the offset of the first wrong byte, SIZE_MAX if there
// is none.
FHI_HIDDEN void fhi_poison_write(char *start, size_t size);
FHI_HIDDEN size_t fhi_poison_check(const char *start, size_t size);
// Makes inaccessible what lies around [start, start + size) in [begin, end); where the accessible part ends.
FHI_HIDDEN char *fhi_guard_around(char *begin, const char *start, size_t size, char *end);
FHI_HIDDEN void fhi_guard_close(char *begin, char *end);
FHI_HIDDEN bool fhi_guard_open(char *begin, char *end); // false: no room for one more mapping; some may be accessible
// Accesses of what is inaccessible stop with a line from now on, unless the program handles SIGSEGV itself.
FHI_HIDDEN void fhi_guard_handler(void);

// ---- misuse.c: one line and abort. `word` is what the block's word said; do_what: "free", "realloc", ... ----
FHI_HIDDEN _Noreturn void fhi_stop_freed_twice(const struct fhi_hard_block *block, uint64_t word, const char *do_what);
FHI_HIDDEN _Noreturn void fhi_stop_inside(const void *p, const struct fhi_hard_block *block, uint64_t word, const char *do_what);
FHI_HIDDEN _Noreturn void fhi_stop_wrong_size(const struct fhi_hard_block *block, uint64_t word, size_t size);
FHI_HIDDEN _Noreturn void fhi_stop_wrong_alignment(const struct fhi_hard_block *block, uint64_t word, size_t alignment);
FHI_HIDDEN _Noreturn void fhi_stop_overflow(const struct fhi_hard_block *block, uint64_t word, size_t at);
FHI_HIDDEN _Noreturn void fhi_stop_written(const struct fhi_hard_block *block, uint64_t word, size_t at);
FHI_HIDDEN _Noreturn void fhi_stop_access(const void *p, const struct fhi_hard_block *block, uint64_t word);

#endif
