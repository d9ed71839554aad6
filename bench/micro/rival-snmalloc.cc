// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rival-snmalloc - snmalloc as the header-only library it can be: a constant size is known to it.
#include <snmalloc/snmalloc.h>

#include "loops.h"

ALWAYS_INLINE void *take(size_t size) { return snmalloc::libc::malloc(size); }

ALWAYS_INLINE void give(void *p, size_t size) {
  (void)size;
  snmalloc::libc::free(p);
}
