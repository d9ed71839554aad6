// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// own_malloc_user.c - uses local functions in a program whose malloc is its own: the blocks must be that malloc's.
#include "check.h"

#include "freehold/heap.h"

extern int OwnMallocCalls;

int main(void) {
  int before = OwnMallocCalls;
  char *p = fh_tls_malloc(100), *q = malloc(50);
  CHECK(p && q && OwnMallocCalls == before + 2 && !fh_is_local(p));
  memset(p, 3, 100);
  p = fh_tls_realloc(p, 1000);
  CHECK(p[99] == 3);
  fh_tls_free(p);
  fh_tls_free(fh_tls_calloc(10, 10));
  free(fh_tls_malloc_class(2));
  free(q);
  puts("done");
  return 0;
}
