// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// called - fh_tls_malloc and fh_tls_free as functions of libfreehold.so. Declared here, since the header may inline them.
#include "loops.h"

void *fh_tls_malloc(size_t size);
void fh_tls_free(void *p);

ALWAYS_INLINE void *take(size_t size) { return fh_tls_malloc(size); }

ALWAYS_INLINE void give(void *p, size_t size) {
  (void)size;
  fh_tls_free(p);
}
