// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// self.h - the calling thread's block, in each mode; included by globals.h. What a fetch costs is here.
//
// Whatever leads to a block, its header decides: it is the thread's own only if `owner` is the thread's pointer. A thread-local
// block that was never registered has none, a block left behind by shutdown has none any more, and %gs may be the creator's.
#ifndef FHI_GLOBALS_SELF_H
#define FHI_GLOBALS_SELF_H

static inline uintptr_t fhi_thread_pointer(void) {
#if defined(__x86_64__) && !defined(__ILP32__)
  uintptr_t pointer;
  __asm__("movq %%fs:0, %0" : "=r"(pointer));
  return pointer;
#else
  return (uintptr_t)pthread_self();
#endif
}

static inline struct fhi_record *fhi_own_first(void) {
  // Acquire: pairs with the making of the key.
  struct fhi_record *record = __atomic_load_n(&fhi_key_made, __ATOMIC_ACQUIRE) ? pthread_getspecific(fhi_key) : NULL;
  return record && fhi_key_stored() ? record : NULL;
}

// The thread's record of an engine, orphaned or not; NULL: none. Async-signal-safe.
static inline struct fhi_record *fhi_own_find(const fh_globals_t *engine) {
  struct fhi_record *record = fhi_own_first();
  while (record && record->engine != engine)
    record = record->same_thread;
  return record;
}

// What this thread has written to %gs, which only one engine has; known though something else may have set %gs since. Such
// blocks are never freed.
extern FHI_HIDDEN _Thread_local fh_globals_block_t *fhi_gs_written;

static inline fh_globals_block_t *fhi_if_owned(fh_globals_block_t *block) {
  // Acquire: pairs with the release of the owner by who shut the engine down.
  return block && __atomic_load_n(&block->owner, __ATOMIC_ACQUIRE) == fhi_thread_pointer() ? block : NULL;
}

static inline fh_globals_block_t *fhi_self(const fh_globals_t *engine) {
  fh_globals_block_t *block;
  if (engine->native) {
    block = engine->native();
  } else if (engine->mode == FH_GLOBALS_GS) {
    // What is at %gs is not looked behind: it may be another's. And a thread that ended without a word may have had this one's
    // thread pointer, and its block may have been inherited.
    block = fhi_gs_written;
    if (!block || block->engine != engine || (uintptr_t)block != fhi_gs_read())
      return NULL;
  } else if (engine->cache) {
    block = *engine->cache();
  } else {
    struct fhi_record *record = fhi_own_find(engine);
    block = record ? record->block : NULL;
  }
  return fhi_if_owned(block);
}

static inline fh_globals_block_t *fhi_mine(const fh_globals_t *engine) {
  if (engine->native || engine->mode != FH_GLOBALS_GS)
    return fhi_self(engine);
  fh_globals_block_t *block = fhi_gs_written;
  return block && block->engine == engine ? fhi_if_owned(block) : NULL;
}

#endif
