// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// keep.h - blocks that threads keep where they freed them, whoever they belong to (keep.c), and the depot where they exchange
// them (depot.c).
#ifndef FHI_KEEP_H
#define FHI_KEEP_H

#include "../os/os.h"
#include "freehold/abi.h"

struct fhi_heap;
struct fhi_page;

// What a shared heap knows of what its thread keeps. malloc writes `room` in every heap, all else is of use where `on`.
struct fhi_keep {
  uint32_t room[FH_CLASS_COUNT + 1]; // by a page's `kept`: how many more blocks its class's head may take, modulo 2^32
  bool on, has;                      // it keeps; there may be others' blocks in its heads
  uint8_t wait, penalty;             // refusals to come, and how many they were at first
  uint32_t events, useless;          // heads that ran dry or full since it keeps; those that nothing was taken from meanwhile
  uint32_t sent, made;               // blocks handed over and allocated when it was last asked whether to keep, modulo 2^32
  void *below[FH_CLASS_COUNT];       // the heads as they were when room was last made
};

// ---- keep.c ----
// The calling thread frees others' blocks in no order: 0: from now on its heap keeps what it frees; else it should not, and is
// to be asked again after so many more.
FHI_HIDDEN uint32_t fhi_keep_start(struct fhi_heap *heap);
// The calling thread's heap keeps no more than it has.
FHI_HIDDEN void fhi_keep_stop(struct fhi_heap *heap);
// The same for a heap whose thread is gone; was it the last one?
FHI_HIDDEN bool fhi_keep_end(struct fhi_heap *heap);
// In a forked child, whose only heap of a thread is this, NULL if it has none.
FHI_HIDDEN void fhi_keep_forked(const struct fhi_heap *mine);
// free() by a thread whose heap keeps, where there is no room for p or it is no block to keep; p's page is `page`.
FHI_HIDDEN void fhi_keep_more(void *p, struct fhi_page *page, struct fhi_heap *heap);
// A head of a heap that keeps is dry: fills it from the depot; false: there is nothing.
FHI_HIDDEN bool fhi_keep_dry(struct fhi_heap *heap, unsigned class);
// The same head was filled otherwise, with so many blocks.
FHI_HIDDEN void fhi_keep_refilled(struct fhi_heap *heap, unsigned class, uint32_t count);
// The calling thread sends a list of free shared blocks home; heap: its shared one, or fhi_no_heap.
FHI_HIDDEN void fhi_keep_send(struct fhi_heap *heap, void *list);

// ---- depot.c ----
// Leaves a chain of free blocks of the class; false: there is no room for it, or another thread is there. Takes one, NULL if
// there is none, or another thread is there.
FHI_HIDDEN bool fhi_depot_give(unsigned class, void *chain);
FHI_HIDDEN void *fhi_depot_take(unsigned class);
// Sends all of it home, and with it what the heap has gathered for others; heap as above.
FHI_HIDDEN void fhi_depot_empty(struct fhi_heap *heap);
// Before fork: nobody is at a depot, until hold is false, in parent and child.
FHI_HIDDEN void fhi_depot_hold(bool hold);
// Calls back with each chain, for the statistics.
FHI_HIDDEN void fhi_depot_each(void (*each)(void *chain));

#endif
