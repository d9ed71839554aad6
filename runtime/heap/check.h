// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// check.h - what the heap tells the owner check.
#ifndef FHI_CHECK_H
#define FHI_CHECK_H

#include "heap.h"

// Forgets where the blocks of a heap were allocated.
FHI_HIDDEN void fhi_sites_drop(struct fhi_heap *heap);

#endif
