// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// access.c - the thread-local variables behind access.h, and what a thread sees before it has a heap.
#include "../heap/heap.h"

const struct fhi_heap fhi_no_heap = {.kind = FHI_NO_KIND};
#define NO_HEAP ((struct fhi_heap *)&fhi_no_heap)
const struct fhi_self fhi_no_self = {.push_from = UINTPTR_MAX, .local = NO_HEAP, .shared = NO_HEAP, .home = NO_HEAP};

// Never null: inlined code in libraries loads a head through it before the thread's first slow path.
#if FH_ACCESS == FH_LOCAL_EXEC
_Thread_local struct fhi_self fh_heads = {.push_from = UINTPTR_MAX, .local = NO_HEAP, .shared = NO_HEAP, .home = NO_HEAP};
_Thread_local struct fhi_self *fh_heads_base = (struct fhi_self *)&fhi_no_self;
#elif FH_ACCESS == FH_LOCAL_DYNAMIC
_Thread_local struct fhi_self *fhi_heads_base = (struct fhi_self *)&fhi_no_self;
extern _Thread_local struct fhi_self *fh_heads_base __attribute__((alias("fhi_heads_base")));
#elif FH_ACCESS <= FH_TLSDESC || FH_ACCESS == FH_FLEXIBLE
_Thread_local struct fhi_self *fh_heads_base = (struct fhi_self *)&fhi_no_self;
#endif // key and table have no thread-local variable: a library with inlined paths does not load beside them

// Binaries with inlined paths refer to this name: another layout has another.
FHI_EXPORT const char fh_layout_3 = 1;
// The same by a name that nobody can interpose.
extern FHI_HIDDEN const char fhi_layout_here __attribute__((alias("fh_layout_3")));

#ifndef FH_PROBE
// What tells `freehold doctor` of the runtime in a binary that was stripped: an ELF note.
static const struct {
  uint32_t name_size, size, type;
  char name[12];
  uint32_t layout, access; // access.h's numbers
} Note __attribute__((section(".note.freehold"), used, aligned(4))) = {sizeof "Freehold", 8, 1, "Freehold", 3, FH_ACCESS};
#endif
