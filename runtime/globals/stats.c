// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stats.c - threads x resources x bytes.
#include "globals.h"

#include <string.h>

void fhi_stats_read(fh_globals_t *engine, fh_globals_stats_t *now) {
  struct fhi_engine *e = fhi_engine(engine);
  memset(now, 0, sizeof *now);
  now->threads = (size_t)e->threads;
  now->peak_threads = (size_t)e->peak;
  now->started = e->started;
  now->ended = e->ended;
  now->block_bytes = engine->size;
  now->reserve_bytes = engine->size - engine->reserve;
  now->reserve_used = e->reserve_used > engine->reserve ? e->reserve_used - engine->reserve : 0;
  for (int id = 1; id <= e->count; ++id) {
    const struct fhi_resource *resource = fhi_resource(engine, id);
    now->resources += resource != NULL;
    now->separate_bytes += resource && fhi_offset_in_block(engine, resource) == 0 ? resource->as.size : 0;
  }
  now->total_bytes = now->threads * (now->block_bytes + now->separate_bytes);
}

bool fhi_stats_next(fh_globals_t *engine, fh_globals_id_t id, fh_globals_resource_info_t *info) {
  struct fhi_engine *e = fhi_engine(engine);
  const struct fhi_resource *resource = NULL;
  for (id = id < 0 ? 1 : id + 1; id <= e->count && !(resource = fhi_resource(engine, id)); ++id)
    ;
  if (!resource)
    return false;
  *info = (fh_globals_resource_info_t){id, resource->as.name, resource->as.size, fhi_offset_in_block(engine, resource), 0};
  for (const struct fhi_record *record = e->first; record; record = record->next)
    info->threads += id <= record->block->count && record->made[id - 1];
  return true;
}

int fh_globals_stats(fh_globals_t *engine, fh_globals_stats_t *stats, size_t size) {
  if (!engine || !stats)
    return fhi_error(FH_GLOBALS_EINVAL);
  fh_globals_stats_t now;
  fhi_enter(engine);
  fhi_stats_read(engine, &now);
  fhi_leave(engine);
  memcpy(stats, &now, size < sizeof now ? size : sizeof now);
  return fhi_error(0);
}

bool fh_globals_next_resource(fh_globals_t *engine, fh_globals_id_t id, fh_globals_resource_info_t *info) {
  if (!engine || !info)
    return fhi_error(FH_GLOBALS_EINVAL), false;
  fhi_enter(engine);
  bool found = fhi_stats_next(engine, id, info);
  fhi_leave(engine);
  return found;
}
