// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// self.c - a block becomes the calling thread's own: see self.h.
#include "globals.h"

_Thread_local fh_globals_block_t *fhi_gs_written;

void fhi_self_set(fh_globals_t *engine, fh_globals_block_t *block) {
  if (fhi_engine(engine)->gs) {
    fhi_gs_write((uintptr_t)block);
    fhi_gs_written = block;
  }
  if (engine->cache)
    *engine->cache() = block;
}

fh_globals_block_t *fh_globals_self(fh_globals_t *engine) { return engine ? fhi_self(engine) : NULL; }
