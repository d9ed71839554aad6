// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// idle.h - what heaps know of their free pages, and how they are told to give them back.
#ifndef FHI_IDLE_H
#define FHI_IDLE_H

#include "../os/os.h"

struct fhi_heap;
struct fhi_segment;
struct fhi_page;

// Pages that did not come from the pool and were taken for one class after each other, up to a number (page.c).
struct fhi_burst {
  uint8_t class, pages;
};

// What a heap knows of its free pages (idle.c).
struct fhi_idle {
  uint32_t used;        // pages that are not free
  uint32_t flush_below; // when `used` falls below this, the heads are flushed
  uint32_t pages;       // free ones that have memory behind them
  uint32_t low, high;   // the least and the most of those since `looked`
  uint32_t lent;        // pages that may be idle beyond a fair share, by leave of cache.c
  uint32_t edge;        // and those of one segment more, at whose edge the heap is
  uint32_t ask_at;      // after a refusal: as many must be idle before it asks for more
  uint32_t purged;      // pages since not needed again, and when it was
  uint32_t purged_at;   // this and the next in milliseconds
  uint32_t looked;
  uint32_t events;
  uint32_t turned_over; // pages taken and given back, together; about as many were when the heap last took a segment, 0: never
  uint32_t grew_at;
  uint32_t gave_at; // when it last let go of a segment or a huge block, in milliseconds
  uint32_t trimmed; // the last request of fhi_trim_asked that was obeyed
  struct fhi_burst burst;
  struct fhi_segment *next; // the next one of the open segments to be looked at; NULL: the first
};

// ---- idle.c ----
// Pages of the heap were taken, `fresh` of them without memory behind them; were given back; segments join and leave it. Taken
// and limit may purge free pages and let go of empty segments.
FHI_HIDDEN void fhi_idle_taken(struct fhi_heap *heap, unsigned pages, unsigned fresh);
FHI_HIDDEN void fhi_idle_given(struct fhi_heap *heap, unsigned pages);
FHI_HIDDEN bool fhi_idle_is_too_much(const struct fhi_heap *heap); // for a heap that has an empty segment
FHI_HIDDEN void fhi_idle_limit(struct fhi_heap *heap);
// The heap is about to let go of an empty segment with so many pages that have memory behind them; to take a new one.
FHI_HIDDEN void fhi_idle_gives(struct fhi_heap *heap, unsigned pages);
FHI_HIDDEN void fhi_idle_grows(struct fhi_heap *heap);
// It stays behind in a forked child, and will never be used again.
FHI_HIDDEN void fhi_idle_lost(const struct fhi_heap *heap);
FHI_HIDDEN void fhi_idle_moved(struct fhi_heap *heap, const struct fhi_segment *segment, bool joins);
// Gives the memory of a segment's free pages back; how many there were.
FHI_HIDDEN size_t fhi_segment_purge(struct fhi_heap *heap, struct fhi_segment *segment);
// Gives back all segments and pages of the heap that are free; bytes.
FHI_HIDDEN size_t fhi_heap_purge(struct fhi_heap *heap);
// There is no memory: gives up what this thread keeps empty. Was there any?
FHI_HIDDEN bool fhi_idle_give_up(void);
// Forgets why the heap kept more than little, and repays what it borrowed.
FHI_HIDDEN void fhi_idle_forget(struct fhi_heap *heap);
FHI_HIDDEN void fhi_idle_act(struct fhi_heap *heap);

// ---- trim.c ----
// Gives back the memory of all that is free, and forgets why more was kept; the bytes given back.
FHI_HIDDEN size_t fhi_heap_trim(struct fhi_heap *heap);
// The same for all heaps that can be reached; the others are asked.
FHI_HIDDEN size_t fhi_trim(void);
extern FHI_HIDDEN _Atomic(uint32_t) fhi_trim_asked;
// Blocks that are away: is this one, and some of them into *list, which is empty and is not afterwards.
FHI_HIDDEN bool fhi_block_is_away(const struct fhi_page *page, unsigned index);
FHI_HIDDEN void fhi_page_fetch(struct fhi_page *page, void **list);

#endif
