// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// consumer.c - a user's program over the installed headers and library: prints what malloc and the local heap hand out, and by
// which way the inlined code finds its heads.
#include <freehold/heap.h>
#include <freehold/tls_malloc.h>

#include <stdio.h>
#include <stdlib.h>

int main(void) {
  void *local = fh_tls_malloc(40), *other = tls_malloc(41), *shared = malloc(40);
  fh_heap_t *heap = fh_heap_self();
  void *explicitly = fh_heap_malloc(heap, 40);
  int good = local && other && shared && explicitly && fh_is_local(local) && fh_is_local(other) && fh_is_local(explicitly) &&
             !fh_is_local(shared);
  fh_tls_free_sized(local, 40);
  int again = fh_tls_malloc(40) == local; // the last one freed is the first one given out
  tls_free(other);
  fh_heap_free_sized(heap, explicitly, 40);
  free(shared);
#if defined(FREEHOLD_STATIC)
  const char *way = "static";
#else
  const char *way = "pointer";
#endif
  puts(good && again ? way : "bad");
  return 0;
}
