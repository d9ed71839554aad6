// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// threads.c - a thread gets its block, keeps it, and gives it back.
#include "globals.h"

#include <stdlib.h>

static void link_last(struct fhi_record *record) {
  struct fhi_engine *e = fhi_engine(record->engine);
  record->previous = e->last;
  *(e->last ? &e->last->next : &e->first) = record;
  e->last = record;
  record->serial = ++e->started;
  if (++e->threads > e->peak)
    e->peak = e->threads;
}

void fhi_record_unlink(struct fhi_record *record) {
  struct fhi_engine *e = fhi_engine(record->engine);
  *(record->previous ? &record->previous->next : &e->first) = record->next;
  *(record->next ? &record->next->previous : &e->last) = record->previous;
  --e->threads;
  ++e->ended;
}

void fhi_record_free(struct fhi_record *record) {
  fhi_own_remove(record);
  fhi_record_release(record);
  fhi_record_dispose(record);
}

void fhi_record_dispose(struct fhi_record *record) {
  if (!record->native && !record->stuck)
    fhi_block_free(record->block);
  for (struct fhi_table *table = record->tables, *older; table; table = older) {
    older = table->older;
    free(table);
  }
  free(record->made);
  free(record);
}

// The calling thread's own, in the monitor when it begins and not when it ends.
static void end(struct fhi_record *record) {
  fh_globals_t *engine = record->engine;
  struct fhi_engine *e = fhi_engine(engine);
  record->state = FHI_ENDING;
  while (record->pins != 0)
    fhi_monitor_wait(&e->monitor);
  uintptr_t others = fhi_self_regain(engine);
  fhi_unmake_all(record);
  // Who unregisters a resource may have come upon it meanwhile.
  while (record->pins != 0)
    fhi_monitor_wait(&e->monitor);
  fhi_record_unlink(record);
  record->stuck = !fhi_self_set(engine, NULL);
  fhi_self_yield(others);
  __atomic_store_n(&record->block->owner, 0, __ATOMIC_RELEASE);
  fhi_monitor_changed(&e->monitor);
  fhi_leave(engine);
  fhi_record_free(record);
}

void fhi_record_end(struct fhi_record *record) {
  // An engine that was shut down left the record to us, and may have been unloaded since.
  if (__atomic_load_n(&record->orphaned, __ATOMIC_ACQUIRE)) {
    fhi_record_free(record);
    return;
  }
  fhi_enter(record->engine);
  if (record->orphaned) {
    fhi_leave(record->engine);
    fhi_record_free(record);
    return;
  }
  end(record);
}

static struct fhi_record *new_record(fh_globals_t *engine) {
  struct fhi_record *record = calloc(1, sizeof *record);
  if (!record)
    return NULL;
  record->engine = engine;
  record->native = engine->native != NULL;
  record->block = fhi_block_new(engine);
  if (record->block && fhi_grow(record, 1)) {
    record->block->record = record;
    if (fhi_own_add(record)) {
      fhi_record_hold(record);
      return record;
    }
  }
  if (record->block && !record->native)
    fhi_block_free(record->block);
  free(record->tables);
  free(record->made);
  free(record);
  return NULL;
}

static fh_globals_block_t *start(fh_globals_t *engine) {
  struct fhi_engine *e = fhi_engine(engine);
  struct fhi_record *left = fhi_own_find(engine); // by a shutdown
  if (left)
    fhi_record_end(left);
  struct fhi_record *record = new_record(engine);
  if (!record)
    return fhi_error(FH_GLOBALS_ENOMEM), NULL;
  fhi_enter(engine);
  if (!fhi_running(engine)) {
    fhi_leave(engine);
    fhi_record_free(record);
    return NULL;
  }
  link_last(record);
  __atomic_store_n(&record->block->owner, fhi_thread_pointer(), __ATOMIC_RELEASE);
  if (!fhi_self_set(engine, record->block)) {
    fhi_gs_denied(engine);
    end(record);
    return fhi_error(FH_GLOBALS_EGS), NULL;
  }
  void (*begin)(fh_globals_block_t *) = e->begin, (*ready)(fh_globals_block_t *) = e->end;
  if (begin) {
    fhi_leave(engine);
    begin(record->block);
    fhi_enter(engine);
  }
  int error = fhi_make_all(record);
  if (!error && e->running != FHI_RUNNING)
    error = FH_GLOBALS_ENOTSTARTED;
  if (error) {
    end(record);
    return fhi_error(error), NULL;
  }
  record->state = FHI_LIVE;
  fhi_monitor_changed(&e->monitor);
  fhi_leave(engine);
  if (ready)
    ready(record->block);
  return record->block;
}

static FHI_NOINLINE fh_globals_block_t *init_slow(fh_globals_t *engine) {
  if (!engine)
    return fhi_error(FH_GLOBALS_EINVAL), NULL;
  fhi_enter(engine);
  int error = fhi_running(engine) ? fhi_check_copy(engine) : fh_globals_error();
  if (!error && fhi_mine(engine)) // and it cannot be reached
    error = fhi_gs_displaced(engine);
  else if (!error && fhi_engine(engine)->gs)
    error = fhi_gs_vacant(engine);
  fhi_leave(engine);
  return error ? (fhi_error(error), NULL) : start(engine);
}

fh_globals_block_t *fh_globals_fetch(fh_globals_t *engine) {
  fh_globals_block_t *block = FHI_LIKELY(engine != NULL) ? fhi_self(engine) : NULL;
  return FHI_LIKELY(block != NULL) ? block : init_slow(engine);
}

fh_globals_block_t *fh_globals_thread_init(fh_globals_t *engine) { return fh_globals_fetch(engine); }

// Do only other threads run constructors or destructors on the calling thread's record, those of a set that comes or goes late?
static bool is_served(const struct fhi_record *record) {
  const struct fhi_busy *busy = record->busy;
  while (busy && busy->runner != fhi_thread_pointer())
    busy = busy->outer;
  return record->busy && !busy;
}

int fh_globals_thread_exit(fh_globals_t *engine) {
  if (!engine)
    return fhi_error(FH_GLOBALS_EINVAL);
  fh_globals_block_t *block = fhi_mine(engine);
  if (!block)
    return fhi_error(0);
  fhi_enter(engine);
  struct fhi_record *record = fhi_record_of(block);
  while (record->state == FHI_LIVE && is_served(record) && !fhi_turn_mine(engine))
    fhi_monitor_wait(&fhi_engine(engine)->monitor);
  if (record->state != FHI_LIVE || record->busy || fhi_turn_mine(engine)) {
    int error = record->orphaned ? 0 : FH_GLOBALS_EBUSY;
    fhi_leave(engine);
    return fhi_error(error);
  }
  end(record);
  return fhi_error(0);
}

// ---- what others see of it ----

void *fh_globals_get_from(fh_globals_t *engine, const fh_globals_block_t *block, fh_globals_id_t id) {
  // Acquire: pairs with fhi_grow and fhi_make. The table is at least as long as a count that was seen before it.
  if (!engine || !block || id < 1 || id > __atomic_load_n(&block->count, __ATOMIC_ACQUIRE))
    return fhi_error(FH_GLOBALS_EINVAL), NULL;
  void **storage = __atomic_load_n(&((fh_globals_block_t *)(uintptr_t)block)->storage, __ATOMIC_ACQUIRE);
  void *found = __atomic_load_n(&storage[id - 1], __ATOMIC_ACQUIRE);
  if (!found)
    fhi_error(FH_GLOBALS_EINVAL);
  return found;
}

void *fh_globals_get(fh_globals_t *engine, fh_globals_id_t id) {
  fh_globals_block_t *block = fh_globals_fetch(engine);
  return block ? fh_globals_get_from(engine, block, id) : NULL;
}

void *fh_globals_point(fh_globals_t *engine, fh_globals_id_t id, void **pointer) { return *pointer = fh_globals_get(engine, id); }

struct visit {
  fh_globals_visit_t *thread;
  fh_globals_visit_resource_t *resource;
  void *argument;
};

static int visit_all(fh_globals_t *engine, fh_globals_id_t id, const struct visit *visit) {
  struct fhi_engine *e = fhi_engine(engine);
  int result = 0;
  fhi_enter(engine);
  for (struct fhi_record *record = fhi_alive(e->first), *next; record && result == 0; record = fhi_alive(next)) {
    bool has = id == 0 || (id <= record->block->count && record->made[id - 1] && !fhi_is_busy(record, id));
    if (record->state == FHI_LIVE && has) {
      ++record->pins;
      fh_globals_block_t *block = record->block;
      void *globals = id ? block->storage[id - 1] : NULL;
      fhi_leave(engine);
      result = id ? visit->resource(globals, block, visit->argument) : visit->thread(block, visit->argument);
      fhi_enter(engine);
      --record->pins;
      fhi_monitor_changed(&e->monitor);
    }
    next = record->next;
  }
  fhi_leave(engine);
  return result;
}

int fh_globals_for_each(fh_globals_t *engine, fh_globals_visit_t *visit, void *argument) {
  return engine ? visit_all(engine, 0, &(struct visit){visit, NULL, argument}) : 0;
}

int fh_globals_for_each_resource(fh_globals_t *engine, fh_globals_id_t id, fh_globals_visit_resource_t *visit, void *argument) {
  return engine && id > 0 ? visit_all(engine, id, &(struct visit){NULL, visit, argument}) : 0;
}
