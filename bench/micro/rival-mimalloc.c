// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rival-mimalloc - mimalloc compiled into the program, so that its fast paths can be inlined.
#include "src/static.c"

#include "loops.h"

ALWAYS_INLINE void *take(size_t size) { return mi_malloc(size); }

ALWAYS_INLINE void give(void *p, size_t size) {
  (void)size;
  mi_free(p);
}
