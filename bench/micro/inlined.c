// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// inlined - the local heap from the C header: the class is known at both ends.
#include "loops.h"

#include "freehold/heap.h"

ALWAYS_INLINE void *take(size_t size) { return fh_tls_malloc(size); }

ALWAYS_INLINE void give(void *p, size_t size) { fh_tls_free_sized(p, size); }
