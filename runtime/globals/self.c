// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// self.c - a block becomes the calling thread's own: see self.h.
#include "globals.h"

_Thread_local fh_globals_block_t *fhi_gs_written;

bool fhi_self_set(fh_globals_t *engine, fh_globals_block_t *block) {
  if (fhi_engine(engine)->gs) {
    uintptr_t now = block ? 0 : fhi_gs_read();
    // What something else has set stays.
    bool theirs = !block && now != (uintptr_t)fhi_gs_written;
    if (now == FHI_GS_UNKNOWN || (!theirs && !fhi_gs_write((uintptr_t)block)))
      return false;
    fhi_gs_written = block;
  }
  if (engine->cache)
    *engine->cache() = block;
  return true;
}

uintptr_t fhi_self_regain(fh_globals_t *engine) {
  fh_globals_block_t *block = fhi_engine(engine)->gs ? fhi_if_owned(fhi_gs_written) : NULL;
  uintptr_t others = block ? fhi_gs_read() : 0;
  if (!block || others == (uintptr_t)block || others == FHI_GS_UNKNOWN)
    return 0;
  fhi_gs_displaced(engine);
  fhi_gs_write((uintptr_t)block);
  return others;
}

void fhi_self_yield(uintptr_t others) {
  if (others)
    fhi_gs_write(others);
}

fh_globals_block_t *fh_globals_self(fh_globals_t *engine) { return engine ? fhi_self(engine) : NULL; }
