// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// switch.c - blocks that are no thread's, and threads that go on with another block.
#include "globals.h"

// Every resource's pointer of the calling thread.
static void point_all(fh_globals_t *engine, fh_globals_block_t *block) {
  struct fhi_engine *e = fhi_engine(engine);
  for (int id = 1; id <= e->count; ++id) {
    struct fhi_resource *resource = fhi_resource(engine, id);
    if (resource && resource->as.pointer)
      *resource->as.pointer() = block && id <= block->count ? block->storage[id - 1] : NULL;
  }
}

int fh_globals_switch(fh_globals_t *engine, fh_globals_block_t *block, fh_globals_block_t **previous) {
  if (previous)
    *previous = NULL;
  if (!engine || (block && (block->magic != FH_GLOBALS_MAGIC || block->engine != engine)))
    return fhi_error(FH_GLOBALS_EINVAL);
  if (engine->native)
    return fhi_error(FH_GLOBALS_ENOTSUP);
  fhi_enter(engine);
  fh_globals_block_t *own = fhi_mine(engine);
  struct fhi_record *from = own ? fhi_record_of(own) : NULL, *to = block ? fhi_record_of(block) : NULL;
  int error = fhi_running(engine) ? 0 : fh_globals_error();
  if (!error && own != fhi_self(engine))
    error = fhi_gs_displaced(engine);
  if (!error && own != block &&
      ((from && from->state != FHI_LIVE) || (block && __atomic_load_n(&block->owner, __ATOMIC_RELAXED))))
    error = FH_GLOBALS_EBUSY; // it is another thread's
  if (!error && own != block && !fhi_self_set(engine, block))
    error = fhi_gs_denied(engine);
  if (!error && own != block && to && !fhi_own_add(to)) {
    fhi_self_set(engine, own);
    error = FH_GLOBALS_ENOMEM;
  }
  if (!error && previous)
    *previous = own;
  if (!error && own != block) {
    if (from) {
      fhi_own_remove(from);
      fhi_record_release(from);
      __atomic_store_n(&own->owner, 0, __ATOMIC_RELEASE);
    }
    if (to) {
      fhi_record_hold(to);
      block->thread = (uintptr_t)pthread_self();
      __atomic_store_n(&block->owner, fhi_thread_pointer(), __ATOMIC_RELEASE);
    }
    if (fhi_engine(engine)->points)
      point_all(engine, block);
  }
  fhi_leave(engine);
  return fhi_error(error);
}

fh_globals_block_t *fh_globals_block_new(fh_globals_t *engine) {
  fh_globals_block_t *before, *made;
  if (fh_globals_switch(engine, NULL, &before) != 0)
    return NULL;
  int error = fh_globals_thread_init(engine) ? 0 : fh_globals_error();
  fh_globals_switch(engine, before, &made);
  fhi_error(error);
  return made;
}

int fh_globals_block_free(fh_globals_t *engine, fh_globals_block_t *block) {
  if (!block)
    return fhi_error(0);
  fh_globals_block_t *before;
  int error = block == fhi_self(engine) ? fhi_error(FH_GLOBALS_EBUSY) : fh_globals_switch(engine, block, &before);
  if (error)
    return error;
  error = fh_globals_thread_exit(engine);
  if (before)
    fh_globals_switch(engine, before, NULL);
  return fhi_error(error);
}
