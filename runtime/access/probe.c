// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// probe.c - one access model alone, without a heap, for `freehold doctor` to load and time: what is measured is fhi_self() as
// libfreehold has it, and the load of a head behind it. Built once a model into lib/freehold/probes, and as local-exec into the
// program itself.
#include "access.h"

FHI_EXPORT void *fh_probe_access(void *unused);
FHI_EXPORT bool fh_probe_start(void);
FHI_EXPORT bool fh_probe_in_static_tls(void);

// Not inlined: an access as a function of a library makes it, address and all.
FHI_NOINLINE void *fh_probe_access(void *unused) {
  (void)unused;
  return fhi_self()->heads[0];
}

// Gives the calling thread, the only one, its record.
bool fh_probe_start(void) {
  static struct fhi_self record;
  static fhi_lifeline_t line;
  fhi_lock();
  fhi_lifeline_hold(&line);
  bool made = fhi_self_make(&record, &line);
  fhi_unlock();
  if (made)
    fhi_self_settle();
  if (!made || fhi_self() == &fhi_no_self)
    return false;
  fhi_self()->heads[0] = &record;
  return true;
}

#if FH_ACCESS == FH_TLSDESC
// Did the loader find room in static TLS? Then what the descriptor's function returns is the descriptor's second word itself.
bool fh_probe_in_static_tls(void) {
  const uintptr_t *descriptor;
  uintptr_t offset;
  __asm__("leaq fh_heads_base@tlsdesc(%%rip), %0" : "=a"(descriptor));
  __asm__("call *fh_heads_base@tlscall(%%rax)" : "=a"(offset) : "0"(descriptor) : "cc");
  return descriptor[1] == offset;
}
#else
bool fh_probe_in_static_tls(void) { return FH_ACCESS == FH_INITIAL_EXEC || FH_ACCESS == FH_LOCAL_EXEC; }
#endif
