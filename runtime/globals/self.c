// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// self.c - the calling thread's block, in each mode.
//
// Whatever leads to a block, its header decides: it is the thread's own only if `owner` is the thread's pointer. A thread-local
// block that was never registered has none, a block left behind by shutdown has none any more, and %gs may be the creator's.
#include "globals.h"

uintptr_t fhi_thread_pointer(void) {
#if defined(__x86_64__) && !defined(__ILP32__)
  uintptr_t pointer;
  __asm__("movq %%fs:0, %0" : "=r"(pointer));
  return pointer;
#else
  return (uintptr_t)pthread_self();
#endif
}

// What this thread has written to %gs, which only one engine has.
static _Thread_local fh_globals_block_t *Gs;

fh_globals_block_t *fhi_self(const fh_globals_t *engine) {
  fh_globals_block_t *block;
  if (engine->mode == FH_GLOBALS_GS) {
    block = (fh_globals_block_t *)fhi_gs_read();
  } else if (engine->native) {
    block = engine->native();
  } else if (engine->cache) {
    block = *engine->cache();
  } else {
    struct fhi_record *record = fhi_own_find(engine);
    block = record ? record->block : NULL;
  }
  // Acquire: pairs with the release of the owner by who shut the engine down.
  if (!block || __atomic_load_n(&block->owner, __ATOMIC_ACQUIRE) != fhi_thread_pointer())
    return NULL;
  // A thread that ended without a word may have had this one's thread pointer, and its block may have been inherited.
  return engine->mode == FH_GLOBALS_GS && block != Gs ? NULL : block;
}

void fhi_self_set(fh_globals_t *engine, fh_globals_block_t *block) {
  if (fhi_engine(engine)->gs) {
    fhi_gs_write((uintptr_t)block);
    Gs = block;
  }
  if (engine->cache)
    *engine->cache() = block;
}

fh_globals_block_t *fh_globals_self(fh_globals_t *engine) { return engine ? fhi_self(engine) : NULL; }
