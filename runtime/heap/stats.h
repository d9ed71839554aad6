// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stats.h - gathering of statistics, and their printers.
//
// A tally is what a walk over all descriptors finds of one heap. The walk is made under the global lock, so that no segment comes
// or goes meanwhile; what threads do inside their pages goes on, so every number is read once and cut to what is possible.
#ifndef FHI_STATS_H
#define FHI_STATS_H

#include "../os/text.h"
#include "heap.h"

#include "freehold/stats.h"

// Gathers the tallies of all heaps. The global lock is held.
FHI_HIDDEN void fhi_stats_gather(void);
// Adds a heap's tally and counters.
FHI_HIDDEN void fhi_stats_add(fh_stats_heap_t *sum, const struct fhi_heap *heap);
// Fills one thread's. The global lock is held.
FHI_HIDDEN void fhi_stats_of_thread(fh_stats_thread_t *stats, const struct fhi_thread *thread);

// ---- printers ----
FHI_HIDDEN void fhi_stats_text(struct fhi_text *text);
FHI_HIDDEN void fhi_stats_json(struct fhi_text *text);
FHI_HIDDEN void fhi_stats_xml(struct fhi_text *text); // malloc_info's
// A printer's whole text, in memory of its own; buffer NULL: there is none.
FHI_HIDDEN struct fhi_text fhi_stats_whole(void (*printer)(struct fhi_text *));
FHI_HIDDEN void fhi_text_drop(struct fhi_text *text);

// What mallinfo tells.
struct fhi_glibc_info {
  uint64_t segment_bytes, live_bytes; // without huge blocks
  uint64_t free_pages, idle_bytes, huge_blocks, huge_bytes;
};
FHI_HIDDEN struct fhi_glibc_info fhi_stats_glibc(void);

#endif
