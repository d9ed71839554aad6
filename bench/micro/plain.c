// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// plain - malloc and free as any program calls them: glibc's, those of a preloaded library, or rewritten by freehold-cc.
#include "loops.h"

ALWAYS_INLINE void *take(size_t size) { return malloc(size); }

ALWAYS_INLINE void give(void *p, size_t size) {
  (void)size;
  free(p);
}
