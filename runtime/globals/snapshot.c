// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// snapshot.c - the bytes of a block's resources, kept and put back.
#include "globals.h"

#include <stdlib.h>
#include <string.h>

// What was there: per id its size, then the bytes of all, each at a multiple of 16.
struct fh_globals_snapshot {
  const fh_globals_block_t *block;
  uint64_t serial; // of the block's life: the block may have become another thread's
  int count;
  size_t *sizes; // 0: not there
  char *bytes;
};

static size_t round_up(size_t size) { return (size + 15) & ~(size_t)15; }

void fh_globals_snapshot_free(fh_globals_snapshot_t *snapshot) {
  if (!snapshot)
    return;
  free(snapshot->sizes);
  free(snapshot->bytes);
  free(snapshot);
}

fh_globals_snapshot_t *fh_globals_snapshot(fh_globals_t *engine) {
  fh_globals_block_t *block = engine ? fh_globals_fetch(engine) : NULL;
  struct fh_globals_snapshot *snapshot = block ? calloc(1, sizeof *snapshot) : NULL;
  if (!snapshot)
    return block ? (fhi_error(FH_GLOBALS_ENOMEM), NULL) : NULL;
  struct fhi_record *record = fhi_record_of(block);
  fhi_enter(engine);
  struct fhi_engine *e = fhi_engine(engine);
  snapshot->block = block;
  snapshot->serial = record->serial;
  snapshot->count = e->count < block->count ? e->count : block->count;
  snapshot->sizes = calloc((size_t)snapshot->count + 1, sizeof *snapshot->sizes);
  size_t all = 0;
  for (int i = 0; snapshot->sizes && i < snapshot->count; ++i)
    if (record->made[i])
      all += round_up(snapshot->sizes[i] = e->resources[i]->as.size);
  snapshot->bytes = malloc(all + 1);
  bool done = snapshot->sizes && snapshot->bytes;
  char *to = snapshot->bytes;
  for (int i = 0; done && i < snapshot->count; ++i) {
    memcpy(to, block->storage[i] ? block->storage[i] : to, snapshot->sizes[i]);
    to += round_up(snapshot->sizes[i]);
  }
  fhi_leave(engine);
  if (done)
    return snapshot;
  fh_globals_snapshot_free(snapshot);
  return fhi_error(FH_GLOBALS_ENOMEM), NULL;
}

int fh_globals_reset(fh_globals_t *engine, const fh_globals_snapshot_t *snapshot) {
  fh_globals_block_t *block = engine ? fhi_self(engine) : NULL;
  if (!snapshot || !block || snapshot->block != block || snapshot->serial != fhi_record_of(block)->serial)
    return fhi_error(FH_GLOBALS_EINVAL);
  fhi_enter(engine);
  const char *from = snapshot->bytes;
  for (int i = 0; i < snapshot->count; ++i) {
    // One that was unregistered since has no place any more.
    if (snapshot->sizes[i] && fhi_record_of(block)->made[i])
      memcpy(block->storage[i], from, snapshot->sizes[i]);
    from += round_up(snapshot->sizes[i]);
  }
  fhi_leave(engine);
  return fhi_error(0);
}
