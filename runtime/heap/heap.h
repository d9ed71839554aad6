// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heap.h - the heap's data structures, the same for local and shared heaps.
//
//   slot      4 MiB of one of the two address ranges, shared below local; the slot table says what lies there.
//   segment   one slot, owned by one heap: 64 pages of 64 KiB, all of which hold blocks.
//   page      blocks of one size class, or part of a large block (a run of pages). The current page of a class is the one from
//             which the class's head is filled; it stays with its class when it is empty (the retained page).
//   huge      a block of more than 32 pages: a mapping of its own, from the beginning of a slot over as many as it needs.
//   packed    where address space is scarce, large blocks of one size share a run, and some have mappings as huge ones do.
//
// Metadata lie apart from blocks, in two flat arrays at fixed addresses (meta.c): a descriptor of 128 bytes for each page of both
// ranges, so that an address becomes its descriptor's by shift and mask, and a header of 128 bytes for each slot. A page that
// holds no class's blocks has fast == NULL, so that a free of any address whose descriptor can be read reaches the slow path.
//
// Accounting. `used` counts a page's blocks that are neither in page->free, in its bitmap, away, nor still uncarved. A free that
// takes it to 0 goes to fhi_page_trigger; of the current page it is FHI_CURRENT higher, which no free takes to 0. A block that
// lies in a head counts as out for its page, whichever page that is: so inlined code pops and pushes heads without telling, an
// inlined sized free may push a block of any page, and a shared heap may keep blocks of others' pages in its heads (keep.c).
//
// Who writes: a heap, its segments and their descriptors are written by the owning thread only, without atomics. Others push on
// heap->remote (shared heaps), read heap->tid, and read a page's first cache line, where only `fast` can change while a block of
// it is live.
#ifndef FHI_HEAP_H
#define FHI_HEAP_H

#include "../access/access.h"
#include "idle.h"
#include "keep.h"
#include "remote.h"

#include <stdatomic.h>

enum {
  FHI_SLOT_SHIFT = 22,
  FHI_PAGE_SHIFT = 16,
  FHI_PAGES = 64,           // a segment
  FHI_LARGE_PAGES_MAX = 32, // a longer run is huge
  FHI_CURRENT = 1 << 16,    // so much higher is a page's `used` while it is current
  // Of packed blocks.
  FHI_PACKED_SIZES = 35,
  FHI_PACKED_ALIGNMENT = 4096
};
#define FHI_SLOT_SIZE ((size_t)1 << FHI_SLOT_SHIFT)
#define FHI_PAGE_SIZE ((size_t)1 << FHI_PAGE_SHIFT)
#define FHI_SLOTS_A_KIND ((size_t)1 << (FH_RANGE_BITS - FHI_SLOT_SHIFT))
#define FHI_SLOT_COUNT (2 * FHI_SLOTS_A_KIND)
#define FHI_LARGE_MAX (FHI_LARGE_PAGES_MAX * FHI_PAGE_SIZE)
// Both ranges.
#define FHI_BASE FH_SHARED_BASE
#define FHI_SIZE_MAX ((size_t)PTRDIFF_MAX)

_Static_assert(FH_LOCAL_BASE == FH_SHARED_BASE + ((uintptr_t)1 << FH_RANGE_BITS), "the local range follows the shared one");
_Static_assert((FHI_BASE & (((uintptr_t)2 << FH_RANGE_BITS) - 1)) == 0, "one shift and one compare tell what is in them");

// In the order of their ranges.
enum fhi_kind { FHI_SHARED, FHI_LOCAL, FHI_NO_KIND };

// Values of fhi_page.state.
enum {
  FHI_PAGE_FRESH,  // never used, or taken back
  FHI_PAGE_CLASS,  // blocks of a class
  FHI_PAGE_POOLED, // empty, in its heap's pool, free list kept for its class
  FHI_PAGE_LARGE,  // first page of a run
  FHI_PAGE_PACKED, // the same, of one that blocks share (packed.c)
  FHI_PAGE_REST,   // a later page of a run
  FHI_PAGE_DEAD    // held a live local block when its thread ended: memory given back, addresses never used again
};

struct fhi_heap;

// Two cache lines: threads that free others' blocks read the first, while the owner writes the second all the time.
struct fhi_page {
  const void *fast; // the owner if the page holds a class's blocks, else NULL: every fast path compares this. See fhi_heap.fast
  uint32_t block;   // block size
  uint32_t inverse; // ceil(2^32 / block): offset * inverse < inverse, modulo 2^32, exactly where a block starts
  uint16_t capacity;
  uint8_t class;
  uint8_t state;
  uint8_t first;  // FHI_PAGE_REST: index of the run's first page
  uint8_t length; // pages of the run
  uint8_t kept;   // of a shared page of a class: the class and one, else 0 (keep.c)
  uint8_t gather; // where threads gather what they free of its blocks (outbox.c)

  _Alignas(64) union {
    void *free;      // free blocks, but for those in heads
    size_t size;     // large and huge: bytes of the block
    uint16_t vacant; // FHI_PAGE_PACKED: the blocks that are free
  };
  uint32_t used; // see above; 1 while full, so that the next free takes the slow path; FHI_PAGE_DEAD: the dead thread's id
  uint16_t carved;
  uint16_t away;                    // system pages that were purged, with the free blocks that overlap them (trim.c);
                                    // FHI_PAGE_PACKED: vacant blocks that have no memory behind them
  uint16_t returned;                // bits that are set in its bitmap; 0 where it holds no class's blocks
  uint8_t full;                     // all blocks are out, and it is not current
  uint8_t place;                    // the word of the bitmap where the next of them are looked for
  struct fhi_page *next, *previous; // in a class's list of pages with room, or in the heap's pool
};
_Static_assert(sizeof(struct fhi_page) == 128, "descriptors are found by a shift");

// A slot's header. `heap` to `slots` are those of a segment or of the first slot of a huge mapping.
struct fhi_segment {
  struct fhi_segment *next, *previous; // all of the heap's segments; a local heap's huge blocks
  struct fhi_heap *heap;
  uint64_t free_pages;                           // bit i: page i holds nothing (it may be pooled)
  uint64_t touched_pages;                        // bit i: page i has been used since it was mapped, so it may not be zero
  struct fhi_segment *open_next, *open_previous; // those with a free page
  char *block;                                   // huge: the block, and its usable bytes
  size_t size;
  size_t mapped;        // bytes
  uint32_t empty_since; // milliseconds, while empty
  uint32_t slots;       // that the mapping spreads over
  uint32_t first;       // of a huge mapping's slots: the first one's number
  uint8_t kind;
  bool open;
  bool huge;
  uint8_t thp; // bit i: huge pages were asked for in the half i; of a huge mapping not 0: in all of it
  bool torn;   // and parts of some were purged: what is touched there next comes in small pages
  uint8_t dead_pages;
} __attribute__((aligned(128)));
_Static_assert(sizeof(struct fhi_segment) == 128, "headers are found by a shift");

struct fhi_sites;
struct fhi_hard;

// What stats.c found of a heap when it last looked; under the global lock.
struct fhi_tally {
  uint64_t live_bytes, live_blocks, huge_bytes, mapped_bytes, idle_bytes;
  uint32_t segments, pages, huge_blocks;
  bool owned; // by a thread that is alive
};

// Counted on slow paths by the owner, read by anybody.
struct fhi_counters {
  _Atomic(uint32_t) pages, peak_pages; // in use
  _Atomic(uint32_t) seen;              // when, in milliseconds, the owner last took or gave back a page
  _Atomic(uint64_t) purged_bytes, remote_sent, remote_received;
};
static inline void fhi_count(_Atomic(uint64_t) *counter, uint64_t more) {
  atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + more, memory_order_relaxed);
}

struct fhi_heap {
  void *heads[FH_CLASS_COUNT]; // shared heaps: the classes' heads. Local ones have theirs in the thread's record.
  void **live_heads;           // these, or the record's
  struct fhi_page *current[FH_CLASS_COUNT];
  struct fhi_page *room[FH_CLASS_COUNT]; // pages with free or uncarved blocks that are not current
  const void *fast; // what the descriptors of its pages say: a shared heap itself; of a local one its thread's pointer, which
                    // the thread has at hand. From the thread's end on they say nothing: the next thread may have the same.
  struct fhi_page *pool; // empty pages, last emptied first
  struct fhi_segment *segments, *open, *huge;
  uint32_t segment_count, empty_count;
  _Atomic(pid_t) tid;
  uint8_t kind;
  uint8_t key; // protection key of a root's memory; 0: none (keys.c)
  bool late;   // the thread's key destructor ran: heads stay empty from now on
  struct fhi_idle idle;
  struct fhi_heap *next; // orphans
  size_t taken_back;     // while an orphan: bytes freed by others since it was trimmed, and
  size_t heads_kept;     // bytes in its current pages, if its heads are as its thread left them
  // Local heaps are stacks of levels (mark.c). root: the thread's first heap; of that and of a shared heap itself. above and
  // below: the neighbours, of levels out of use as well.
  struct fhi_heap *root, *above, *below;
  uint64_t mark;                   // the mark that put it into use, 0: none
  uint64_t marks;                  // of a root: how many were made
  struct fhi_sites *_Atomic sites; // check.c: where blocks were allocated
  struct fhi_hard *hard;           // hardened.c: the heap's blocks under FREEHOLD_CHECK
  struct fhi_heap *next_made;      // all heaps, under the global lock
  struct fhi_counters counters;
  struct fhi_tally tally;
  uintptr_t *inbox; // carriers taken from `remote`, not walked yet
  // What its thread has freed of others' and not handed over: found by the word; which of them are in use; bytes that
  // may still be gathered.
  struct fhi_gathered gathered[FHI_GATHERED];
  uint64_t gathering;
  ptrdiff_t gather_left;
  uint32_t addresses; // so many blocks more are not gathered as bits; words that were, and bits in them, since that was decided
  uint32_t tried, tried_bits;
  struct fhi_keep keep;
  struct fhi_outbox outboxes[FHI_OUTBOXES];  // found by the other heap's address
  struct fhi_page *packed[FHI_PACKED_SIZES]; // runs with vacant blocks, by their size's number
  // On a cache line that others write.
  _Alignas(64) _Atomic(uintptr_t) remote; // carriers of blocks that other threads freed
  _Atomic(uint8_t) state;                 // enum fhi_heap_state
};

// For the statistics: the owner is here, and has so many pages more (or less, modulo 2^32) in use.
static inline void fhi_count_pages(struct fhi_heap *heap, uint32_t more) {
  struct fhi_counters *counters = &heap->counters;
  uint32_t pages = atomic_load_explicit(&counters->pages, memory_order_relaxed) + more;
  atomic_store_explicit(&counters->pages, pages, memory_order_relaxed);
  if (pages > atomic_load_explicit(&counters->peak_pages, memory_order_relaxed))
    atomic_store_explicit(&counters->peak_pages, pages, memory_order_relaxed);
  atomic_store_explicit(&counters->seen, fhi_os_milliseconds(), memory_order_relaxed);
}

// This thread hands over a block of another one's.
static inline void fhi_count_sent(void) {
  struct fhi_heap *mine = fhi_self()->shared;
  if (mine != &fhi_no_heap)
    fhi_count(&mine->counters.remote_sent, 1);
}

// Is it one of the calling thread's heaps, of whatever level?
static inline bool fhi_is_mine(const struct fhi_heap *heap) {
  const struct fhi_self *self = fhi_self();
  return heap == self->shared || (heap->kind == FHI_LOCAL && heap->root == self->local->root);
}

// Of one of them: is it a local level below the topmost, whose blocks are older than a mark in force?
static inline bool fhi_is_older(const struct fhi_heap *heap) { return heap->kind == FHI_LOCAL && heap != fhi_self()->local; }

// ---- where what lies ----

// The arrays: descriptors, then headers. The displacement between a page's shifted address and its descriptor's is zero where no
// sanitizer needs that place for itself.
#if defined(__SANITIZE_ADDRESS__)
#define FHI_META ((uintptr_t)0x2f0000000000)
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FHI_META ((uintptr_t)0x2f0000000000)
#endif
#endif
#ifndef FHI_META
#define FHI_META (FHI_BASE >> 9)
#endif
#define FHI_META_SHIFT (FHI_PAGE_SHIFT - 7)
#define FHI_HEADERS (FHI_META + FHI_SLOT_COUNT * FHI_PAGES * sizeof(struct fhi_page))
// Behind them a bitmap for each page of the shared range, by the numbers of its blocks: those that other threads freed and the
// owner took back, and did not link yet. Only the owner touches it.
#define FHI_BITMAPS (FHI_HEADERS + FHI_SLOT_COUNT * sizeof(struct fhi_segment))
#define FHI_BITMAP_WORDS (FHI_PAGE_SIZE / 16 / 64)

// Is p in one of the two ranges?
static inline bool fhi_in_range(const void *p) { return (uintptr_t)p >> (FH_RANGE_BITS + 1) == FHI_BASE >> (FH_RANGE_BITS + 1); }
static inline bool fhi_in_local_range(const void *p) { return (uintptr_t)p >> FH_RANGE_BITS == FH_LOCAL_BASE >> FH_RANGE_BITS; }
// Number of a page in all the address space.
static inline uintptr_t fhi_page_number(const void *p) { return (uintptr_t)p >> FHI_PAGE_SHIFT; }
// Number of a slot in the two ranges; FHI_SLOT_COUNT or more for an address outside them.
static inline size_t fhi_slot_of(const void *p) { return ((uintptr_t)p >> FHI_SLOT_SHIFT) - (FHI_BASE >> FHI_SLOT_SHIFT); }

// p is in range for all of these.
static inline struct fhi_segment *fhi_segment_of(const void *p) {
  return (struct fhi_segment *)(FHI_HEADERS + fhi_slot_of(p) * sizeof(struct fhi_segment));
}
static inline char *fhi_segment_start(const struct fhi_segment *segment) {
  return (char *)(FHI_BASE + (((uintptr_t)segment - FHI_HEADERS) / sizeof(struct fhi_segment) << FHI_SLOT_SHIFT));
}
static inline unsigned fhi_page_index(const void *p) { return ((uintptr_t)p >> FHI_PAGE_SHIFT) & (FHI_PAGES - 1); }
// Descriptor of the page that p lies in.
static inline struct fhi_page *fhi_page_numbered(uintptr_t number) {
  return (struct fhi_page *)(number * sizeof(struct fhi_page) + (FHI_META - (FHI_BASE >> FHI_META_SHIFT)));
}
// Of a shared page.
static inline uint64_t *fhi_bitmap_of(const struct fhi_page *page) {
  return (uint64_t *)(FHI_BITMAPS + ((uintptr_t)page - FHI_META) / sizeof(struct fhi_page) * FHI_BITMAP_WORDS * sizeof(uint64_t));
}
static inline struct fhi_page *fhi_page_of(const void *p) { return fhi_page_numbered(fhi_page_number(p)); }
static inline unsigned fhi_descriptor_index(const struct fhi_page *page) {
  return (unsigned)((uintptr_t)page / sizeof(struct fhi_page)) & (FHI_PAGES - 1);
}
static inline char *fhi_page_start(const struct fhi_page *page) {
  return (char *)(FHI_BASE + (((uintptr_t)page - FHI_META) << FHI_META_SHIFT));
}
// The descriptors of a segment, and the segment of a descriptor.
static inline struct fhi_page *fhi_pages(const struct fhi_segment *segment) { return fhi_page_of(fhi_segment_start(segment)); }
static inline struct fhi_segment *fhi_segment_of_page(const struct fhi_page *page) {
  return fhi_segment_of(fhi_page_start(page));
}

// ---- meta.c ----
// Makes the descriptors and headers of slots writable; false: no memory. They are zero at first. The global lock is held.
FHI_HIDDEN bool fhi_meta_map(size_t slot, size_t count);
// Where address space is short: gives up what is reserved for metadata and not used. Was there any? The global lock is held.
FHI_HIDDEN bool fhi_meta_give_up(void);

// Whose the blocks of a shared page are, NULL if it holds no class's; whose a segment is. The only fields of a shared segment
// that change under a thread that holds a live block of it (remote.c), hence atomic for all but the owner.
static inline struct fhi_heap *fhi_page_owner(const struct fhi_page *page) {
  return (struct fhi_heap *)(uintptr_t)__atomic_load_n(&page->fast, __ATOMIC_RELAXED);
}
static inline struct fhi_heap *fhi_segment_owner(const struct fhi_segment *segment) {
  return __atomic_load_n(&segment->heap, __ATOMIC_RELAXED);
}
static inline bool fhi_is_shared(const void *p) { return (uintptr_t)p >> FH_RANGE_BITS == FH_SHARED_BASE >> FH_RANGE_BITS; }

// ---- slots.c ----

enum { FHI_SLOT_NONE, FHI_SLOT_SEGMENT, FHI_SLOT_HUGE, FHI_SLOT_HUGE_REST, FHI_SLOT_FOREIGN, FHI_SLOT_RETIRED };
enum { FHI_SLOT_CACHED = FHI_SLOT_RETIRED + 1, FHI_SLOT_READY }; // mapped, of no heap (cache.c, ready.c)
// One byte for each slot. Written under the global lock; read without: who holds a live block of a slot was given it after the
// write.
extern FHI_HIDDEN _Atomic(uint8_t) fhi_slots[FHI_SLOT_COUNT];
// FHI_SLOT_FOREIGN outside the ranges.
static inline unsigned fhi_slot_state(const void *p) {
  size_t slot = fhi_slot_of(p);
  return slot < FHI_SLOT_COUNT ? atomic_load_explicit(&fhi_slots[slot], memory_order_acquire) : FHI_SLOT_FOREIGN;
}
static inline bool fhi_in_segment(const void *p) { return fhi_slot_state(p) == FHI_SLOT_SEGMENT; }

// Maps `size` bytes or a little more, whole pages, for a heap at the beginning of a slot of its kind's range; NULL beyond the
// limit or without memory. heap, kind, mapped, slots, huge, thp and touched_pages (which tells what may not be zero; of a huge
// mapping all or nothing) of the header are set, all else in it and in the segment's descriptors is zero. Takes the global lock.
FHI_HIDDEN struct fhi_segment *fhi_slots_map(struct fhi_heap *heap, size_t size, bool huge);
// The same for a segment; thp: of huge pages, if it can be had.
FHI_HIDDEN struct fhi_segment *fhi_slots_map_segment(struct fhi_heap *heap, bool thp);
// The same for a huge block; content: so many bytes at the beginning will be moved there.
FHI_HIDDEN struct fhi_segment *fhi_slots_map_huge(struct fhi_heap *heap, size_t size, size_t content);
// Gives it back, to be kept for a while or unmapped; retire: unmapped, and its addresses are never used again.
FHI_HIDDEN void fhi_slots_unmap(struct fhi_segment *first, bool retire);
// The huge mapping that p lies in, NULL if in none.
FHI_HIDDEN struct fhi_segment *fhi_huge_of(const void *p);
// Was there a local block of a dead thread at p, whose memory is gone?
FHI_HIDDEN bool fhi_slot_retired(const void *p);
// In a forked child: unmaps what local heaps other than `mine` hold, for ever.
FHI_HIDDEN void fhi_slots_drop_local(const struct fhi_heap *mine);

// Bytes of address space that the heaps hold, have held at most, and have given back.
FHI_HIDDEN size_t fhi_mapped_bytes(void);
struct fhi_mapped {
  size_t now, peak, unmapped;
};
FHI_HIDDEN struct fhi_mapped fhi_mapped(void);

// ---- segment.c ----
// A run of pages for heap, page descriptors set to FRESH but for their free bit; *zero: the memory is known to be zero. burst:
// many more are likely to follow, so none where each 4 KiB would cost a page fault.
FHI_HIDDEN struct fhi_page *fhi_run_take(struct fhi_heap *heap, unsigned length, unsigned alignment, bool burst, bool *zero);
// The same for the free pages that begin at `first`.
FHI_HIDDEN struct fhi_page *fhi_run_take_at(struct fhi_heap *heap, struct fhi_page *first, unsigned length, bool *zero);
FHI_HIDDEN void fhi_run_give(struct fhi_heap *heap, struct fhi_page *first, unsigned length);
FHI_HIDDEN void fhi_pool_remove(struct fhi_heap *heap, struct fhi_page *page);
// Where the heap has such a run of free pages, NULL if it has none.
FHI_HIDDEN struct fhi_page *fhi_run_find(const struct fhi_heap *heap, unsigned length, unsigned alignment, bool burst);
// The segment and its pages become `to`'s. No page of it is current; the global lock is held.
FHI_HIDDEN void fhi_segment_move(struct fhi_heap *from, struct fhi_heap *to, struct fhi_segment *segment);
// Takes back all pages of a level of a local heap, whatever is in them, and unmaps all segments but one.
FHI_HIDDEN void fhi_heap_clear(struct fhi_heap *heap);
// Unmaps empty segments but for `keep`.
FHI_HIDDEN void fhi_segments_release(struct fhi_heap *heap, unsigned keep);

// Did somebody ask for a trim, or is the heap one that shrank? Then fhi_idle_look, called on slow paths, where no page is in the
// middle of anything, trims, or flushes the heads.
static inline bool fhi_idle_calls(const struct fhi_heap *heap) {
  return FHI_UNLIKELY(heap->idle.used < heap->idle.flush_below) ||
         FHI_UNLIKELY(heap->idle.trimmed != atomic_load_explicit(&fhi_trim_asked, memory_order_relaxed));
}
static inline void fhi_idle_look(struct fhi_heap *heap) {
  if (fhi_idle_calls(heap))
    fhi_idle_act(heap);
}

// Is there anything for the heap to take back?
static inline bool fhi_remote_waits(struct fhi_heap *heap) {
  return heap->inbox || atomic_load_explicit(&heap->remote, memory_order_relaxed) != 0;
}

// ---- page.c ----
FHI_HIDDEN void fhi_page_move(struct fhi_heap *from, struct fhi_heap *to, struct fhi_page *page); // of any state, not current
FHI_HIDDEN void *fhi_page_malloc(struct fhi_heap *heap, unsigned class); // the class's head is empty; NULL without memory
// A free took the page's `used` to 0.
FHI_HIDDEN void fhi_page_trigger(struct fhi_heap *heap, struct fhi_page *page);
// So many of its blocks came back from other threads, and it was full or `used` is 0.
FHI_HIDDEN void fhi_page_returned(struct fhi_heap *heap, struct fhi_page *page, unsigned count);
// What lies in the calling thread's self->zero goes to class 0's head, if the heap is its topmost local one.
FHI_HIDDEN void fhi_zero_take(struct fhi_heap *heap);
// Every free of a block of this local heap, late from now on, takes the slow path, which knows the heap by itself.
FHI_HIDDEN void fhi_heap_disown(struct fhi_heap *heap);
// Heads back to their pages, which may be others' (visit: remote.h); no page is current after it.
FHI_HIDDEN void fhi_heads_flush(struct fhi_heap *heap, bool visit);

// ---- block.c ----
// What is known of an address: its block, wherever inside it points.
struct fhi_block {
  char *start;
  size_t size;
  struct fhi_segment *segment; // NULL: not in the heap's memory
  struct fhi_page *page;       // NULL: huge
  pid_t dead;                  // owner that has ended; 0 if it lives
};
// false: no block of this heap there (foreign, free page, or never used).
FHI_HIDDEN bool fhi_block_at(const void *p, struct fhi_block *block);
// Is p for another allocator to judge?
FHI_HIDDEN bool fhi_is_foreign(const void *p);
FHI_HIDDEN size_t fhi_usable_size(const void *p);
// The slow path of every free: large, huge, remote, foreign, wrong, NULL.
FHI_HIDDEN void fhi_free_slow(void *p);
// The same of a block that its caller says was asked for with this size.
FHI_HIDDEN void fhi_free_sized_slow(void *p, size_t size);

// ---- misuse.c: one line and abort ----
FHI_HIDDEN _Noreturn void fhi_stop_wrong_thread(const void *p, const struct fhi_block *block);
FHI_HIDDEN _Noreturn void fhi_stop_double_free(const void *p);
FHI_HIDDEN _Noreturn void fhi_stop_invalid(const void *p, const char *what);
// A protection key refused this thread the access, by the instruction at `place`.
FHI_HIDDEN _Noreturn void fhi_stop_foreign_access(const void *p, const void *place, bool write);
FHI_HIDDEN const char *fhi_site_of(const struct fhi_block *block);

#endif
