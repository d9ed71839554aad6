// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// resources.c - registering and unregistering: where a resource lies, and that every thread has it.
#include "globals.h"

#include <stdlib.h>
#include <string.h>

struct fhi_resource *fhi_resource(fh_globals_t *engine, int id) {
  struct fhi_engine *e = fhi_engine(engine);
  if (id < 1 || id > e->count || e->resources[id - 1]->gone)
    return NULL;
  return e->resources[id - 1];
}

void fhi_resources_drop(fh_globals_t *engine) {
  struct fhi_engine *e = fhi_engine(engine);
  for (int i = 0; i < e->count; ++i)
    free(e->resources[i]);
  free(e->resources);
  e->resources = NULL;
  e->count = e->capacity = 0;
}

// ---- where it lies ----

// A place of a layout's line may be had by one resource at a time.
static bool occupied(const struct fhi_engine *e, size_t offset) {
  for (int i = 0; i < e->count; ++i)
    if (!e->resources[i]->gone && e->resources[i]->offset == offset)
      return true;
  return false;
}

static size_t from_reserve(fh_globals_t *engine, size_t size, size_t alignment) {
  struct fhi_engine *e = fhi_engine(engine);
  for (int i = 0; i < e->count; ++i) { // the place of a module that is gone
    struct fhi_resource *gone = e->resources[i];
    if (gone->reusable && gone->as.size >= size && gone->offset % alignment == 0) {
      gone->reusable = false;
      return gone->offset;
    }
  }
  size_t offset = (e->reserve_used + alignment - 1) & ~(alignment - 1);
  if (alignment > FH_GLOBALS_ALIGNMENT || offset > engine->size || size > engine->size - offset)
    return 0;
  e->reserve_used = offset + ((size + 15) & ~(size_t)15);
  if (e->reserve_used > engine->size)
    e->reserve_used = engine->size;
  return offset;
}

// Is the variable a registered resource's id?
static bool registered(const struct fhi_engine *e, const int *id) {
  for (int i = 0; i < e->count; ++i)
    if (!e->resources[i]->gone && e->resources[i]->as.id == id)
      return true;
  return false;
}

static int place(fh_globals_t *engine, struct fhi_resource *resource) {
  if (resource->offset)
    return 0;
  const fh_globals_slot_t *slot = fhi_slot(engine, resource->as.name);
  if (slot && !occupied(fhi_engine(engine), slot->offset)) {
    resource->offset = slot->offset;
    return 0;
  }
  resource->offset = from_reserve(engine, resource->as.size, resource->as.alignment);
  return resource->offset == 0 && resource->as.in_block ? FH_GLOBALS_ENOMEM : 0;
}

// ---- registering ----

static int append(struct fhi_engine *e, struct fhi_resource *resource) {
  if (e->count == e->capacity) {
    int capacity = e->capacity ? 2 * e->capacity : 32;
    struct fhi_resource **grown = realloc(e->resources, (size_t)capacity * sizeof *grown); // read in the monitor only
    if (!grown)
      return FH_GLOBALS_ENOMEM;
    e->resources = grown;
    e->capacity = capacity;
  }
  e->resources[e->count++] = resource;
  return 0;
}

static void tell(const struct fhi_resource *resource, int id, size_t offset) {
  if (resource->as.id)
    __atomic_store_n(resource->as.id, id, __ATOMIC_RELEASE);
  if (resource->as.offset)
    __atomic_store_n(resource->as.offset, (ptrdiff_t)offset, __ATOMIC_RELEASE);
}

// From every thread that has it; the calling thread has the turn and is in the monitor.
static void withdraw(fh_globals_t *engine, struct fhi_resource *resource, int id) {
  struct fhi_engine *e = fhi_engine(engine);
  fh_globals_block_t *own = fhi_mine(engine);
  resource->gone = true; // nobody begins to construct it any more
  for (struct fhi_record *record = fhi_alive(e->first), *next; record; record = fhi_alive(next)) {
    ++record->pins;
    while (fhi_is_busy(record, id) && record->block != own)
      fhi_monitor_wait(&e->monitor);
    if (id <= record->block->count && record->made[id - 1])
      fhi_unmake(record, id);
    --record->pins;
    next = record->next;
    fhi_monitor_changed(&e->monitor);
  }
  resource->reusable = resource->offset >= engine->reserve && !resource->placed;
  // The variables may be another resource's by now.
  if (resource->as.id && *resource->as.id == id)
    tell(resource, 0, 0);
  // What points there belongs to a module that may be unloaded.
  resource->as = (fh_globals_resource_t){.size = resource->as.size};
}

static int construct_everywhere(fh_globals_t *engine, int id) {
  struct fhi_engine *e = fhi_engine(engine);
  fh_globals_block_t *own = fhi_mine(engine);
  int error = 0;
  for (struct fhi_record *record = fhi_alive(e->first), *next; record && !error; record = fhi_alive(next)) {
    ++record->pins;
    if (record->state == FHI_LIVE || (record->state == FHI_STARTING && record->block == own))
      error = fhi_make(record, id);
    --record->pins;
    next = record->next; // read after the constructor: threads that came meanwhile stand behind
    fhi_monitor_changed(&e->monitor);
  }
  return error;
}

static fh_globals_id_t register_at(fh_globals_t *engine, const fh_globals_resource_t *as, bool once, size_t offset) {
  size_t alignment = as && as->alignment ? as->alignment : 16;
  if (!engine || !as || as->size == 0 || as->size > PTRDIFF_MAX || (alignment & (alignment - 1)) != 0)
    return fhi_error(FH_GLOBALS_EINVAL), 0;
  struct fhi_resource *resource = calloc(1, sizeof *resource);
  if (!resource)
    return fhi_error(FH_GLOBALS_ENOMEM), 0;
  resource->as = *as;
  resource->as.alignment = alignment;
  resource->offset = offset;
  resource->placed = offset != 0;
  struct fhi_engine *e = fhi_engine(engine);
  fhi_enter(engine);
  fhi_turn_take(engine);
  int error = fhi_running(engine) ? fhi_check_copy(engine) : fh_globals_error();
  if (!error && fhi_mine(engine) != fhi_self(engine)) // constructors would run on another's globals
    error = fhi_gs_displaced(engine);
  if (!error && once && registered(e, as->id))
    error = FH_GLOBALS_EINVAL;
  else if (once)
    tell(resource, 0, 0);
  if (!error)
    error = fhi_fits(engine, as);
  if (!error)
    error = place(engine, resource);
  if (!error)
    error = append(e, resource);
  int id = error ? 0 : e->count;
  if (error) {
    free(resource);
  } else {
    e->points |= as->pointer != NULL;
    tell(resource, id, resource->offset);
    error = construct_everywhere(engine, id);
    if (error)
      withdraw(engine, resource, id);
  }
  fhi_turn_give(engine);
  fhi_leave(engine);
  fhi_error(error);
  return error ? 0 : id;
}

fh_globals_id_t fh_globals_register(fh_globals_t *engine, const fh_globals_resource_t *as) {
  if (as && as->id)
    *as->id = 0;
  if (as && as->offset)
    *as->offset = 0;
  return register_at(engine, as, false, 0);
}

fh_globals_id_t fhi_register_placed(fh_globals_t *engine, const fh_globals_resource_t *as, size_t offset) {
  return register_at(engine, as, true, offset);
}

fh_globals_id_t fh_globals_register_one(fh_globals_t *engine, const char *name, size_t size, fh_globals_ctor_t *ctor,
                                        fh_globals_dtor_t *dtor, fh_globals_id_t *id, ptrdiff_t *offset, void **(*pointer)(void),
                                        int mode, const char *layout) {
  fh_globals_resource_t resource = {.name = name,
                                    .size = size,
                                    .ctor = ctor,
                                    .dtor = dtor,
                                    .id = id,
                                    .offset = offset,
                                    .pointer = pointer,
                                    .mode = mode,
                                    .layout = layout};
  return fh_globals_register(engine, &resource);
}

// Is the caller in a constructor or destructor of that resource? It would wait for itself.
static bool called_from(fh_globals_t *engine, int id) {
  struct fhi_engine *e = fhi_engine(engine);
  fh_globals_block_t *own = fhi_mine(engine);
  if (own && fhi_is_busy(fhi_record_of(own), id))
    return true;
  for (struct fhi_record *record = e->first; record && e->depth > 1; record = record->next)
    if (record->pins != 0 && fhi_is_busy(record, id))
      return true;
  return false;
}

int fh_globals_unregister(fh_globals_t *engine, fh_globals_id_t id) {
  if (!engine)
    return fhi_error(FH_GLOBALS_EINVAL);
  fhi_enter(engine);
  fhi_turn_take(engine);
  int error = fhi_running(engine) ? 0 : fh_globals_error();
  struct fhi_resource *resource = error ? NULL : fhi_resource(engine, id);
  if (!error)
    error = !resource ? FH_GLOBALS_EINVAL : called_from(engine, id) ? FH_GLOBALS_EBUSY : 0;
  if (!error) {
    uintptr_t others = fhi_self_regain(engine);
    withdraw(engine, resource, id);
    fhi_self_yield(others);
  }
  fhi_turn_give(engine);
  fhi_leave(engine);
  return fhi_error(error);
}

// A module's destructors run when it is unloaded, and when the process ends: then its threads may still use what they have.
static bool Ending;
static void at_exit(void) { __atomic_store_n(&Ending, true, __ATOMIC_RELAXED); }

void fhi_watch_exit(void) {
  static bool Watching;
  if (!__atomic_exchange_n(&Watching, true, __ATOMIC_RELAXED))
    atexit(at_exit);
}

void fh_globals_unloading(fh_globals_t *engine, fh_globals_id_t id) {
  if (id != 0 && !__atomic_load_n(&Ending, __ATOMIC_RELAXED))
    fh_globals_unregister(engine, id);
}
