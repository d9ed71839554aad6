// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cache.h - mappings of the process that no heap holds; see cache.c. The global lock is held for all of it, and `now` was
// read under it: time never goes back here.
#ifndef FHI_CACHE_H
#define FHI_CACHE_H

#include "heap.h"

// Takes a mapping of which `idle` bytes have memory behind them; it may be unmapped at once.
FHI_HIDDEN void fhi_cache_give(struct fhi_segment *segment, size_t idle, uint32_t now);
// An empty segment, and the smallest huge mapping of at least `size` bytes (or else, if smaller ones will do, the largest of
// those from a huge page on); NULL if there is none. Its header is as its last user left it, but for the lists, size and
// empty_since.
FHI_HIDDEN struct fhi_segment *fhi_cache_take_segment(enum fhi_kind kind);
FHI_HIDDEN struct fhi_segment *fhi_cache_take_huge(enum fhi_kind kind, size_t size, bool smaller);
// Memory was given back to the system otherwise.
FHI_HIDDEN void fhi_cache_dropped(size_t bytes, uint32_t now);
// Memory is about to be had from the system anew for a heap that let go of some at gave_at.
FHI_HIDDEN void fhi_cache_missed(size_t size, uint32_t now, uint32_t gave_at);
// May a heap keep so many bytes of free pages more? It repays them when it does not keep them any longer.
FHI_HIDDEN bool fhi_cache_lend(size_t bytes, uint32_t now);
FHI_HIDDEN void fhi_cache_repay(size_t bytes);
// Drops what is too old or too much.
FHI_HIDDEN void fhi_cache_look(uint32_t now);
// Drops everything, and forgets why more than little was kept; bytes with memory behind them.
FHI_HIDDEN size_t fhi_cache_drop_all(void);
// Is there anything? May be read without the lock.
extern FHI_HIDDEN _Atomic(bool) fhi_cache_holds;

// slots.c: unmaps a mapping that left the cache.
FHI_HIDDEN void fhi_slots_release(struct fhi_segment *segment);

#endif
