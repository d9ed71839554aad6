// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// flexible.c - has the loader given fh_heads_base a place in static TLS?
#include "../heap/heap.h"

#if FH_ACCESS == FH_FLEXIBLE
struct fhi_fast fhi_fast;

// Where it has, a TLS descriptor's function only returns the descriptor's second word, the offset. Elsewhere that word is a
// pointer, which the offset of a block from the thread pointer does not equal. The global lock is held.
void fhi_fast_start(void) {
  const intptr_t *descriptor;
  intptr_t offset;
  __asm__("leaq fh_heads_base@tlsdesc(%%rip), %0" : "=a"(descriptor));
  __asm__("call *fh_heads_base@tlscall(%%rax)" : "=a"(offset) : "0"(descriptor) : "cc");
  if (descriptor[1] != offset) {
    static bool said;
    if (!said)
      fhi_say("no static TLS is left for libfreehold.so: it works without its fast paths; preload it, or set "
              "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=4096");
    said = true;
    return;
  }
  fhi_fast.offset = offset;
  __asm__ volatile("" ::: "memory"); // x86-64 stores are seen in order: who sees a limit sees the offset
  fhi_fast.pages = (uintptr_t)2 << (FH_RANGE_BITS - FHI_PAGE_SHIFT);
  fhi_fast.local_pages = (uintptr_t)1 << (FH_RANGE_BITS - FHI_PAGE_SHIFT);
  fhi_fast.small = FH_SMALL_MAX;
}
#endif
