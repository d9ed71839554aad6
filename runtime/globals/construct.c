// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// construct.c - one resource of one thread block: made and unmade, and the storage table that has its address.
//
// The table is read without the monitor, by its thread and by compiled code: it grows by publishing a copy, and old ones stay
// until the record goes. They double, so all old ones together are smaller than the present one.
#include "globals.h"

#include <stdlib.h>
#include <string.h>

bool fhi_grow(struct fhi_record *record, int id) {
  fh_globals_block_t *block = record->block;
  if (id <= block->count)
    return true;
  int count = block->count ? 2 * block->count : 32;
  while (count < id)
    count *= 2;
  struct fhi_table *table = calloc(1, sizeof *table + (size_t)count * sizeof(void *));
  bool *made = realloc(record->made, (size_t)count); // read in the monitor only
  if (made)
    record->made = made;
  if (!table || !made) {
    free(table);
    return false;
  }
  memset(made + block->count, 0, (size_t)(count - block->count));
  if (block->count)
    memcpy(table->entries, block->storage, (size_t)block->count * sizeof(void *));
  table->older = record->tables;
  record->tables = table;
  // Release: who sees the table sees its entries. The table before the count: an index below the count is in the table.
  __atomic_store_n(&block->storage, table->entries, __ATOMIC_RELEASE);
  __atomic_store_n(&block->count, count, __ATOMIC_RELEASE);
  return true;
}

static void *memory_for(const struct fhi_record *record, const struct fhi_resource *resource) {
  if (resource->offset) {
    void *memory = (void *)((uintptr_t)record->block + resource->offset);
    memset(memory, 0, resource->as.size);
    return memory;
  }
  size_t alignment = resource->as.alignment < sizeof(void *) ? sizeof(void *) : resource->as.alignment;
  void *memory = NULL;
  if (posix_memalign(&memory, alignment, resource->as.size) == 0)
    memset(memory, 0, resource->as.size);
  return memory;
}

// The pointer of the thread that has the record; NULL: there is none, or only that thread knows where it is, and it sets it when
// it comes upon it. A pinned record's thread, and with it its static TLS, stays.
static void **pointer_of(const struct fhi_record *record, const struct fhi_resource *resource) {
  if (!resource->as.pointer)
    return NULL;
  if (fhi_self(record->engine) == record->block)
    return resource->as.pointer();
  uintptr_t thread = __atomic_load_n(&record->block->owner, __ATOMIC_RELAXED);
  if (!(resource->as.mode & FH_GLOBALS_FIXED) || !record->held || thread == 0)
    return NULL;
  return (void **)((uintptr_t)resource->as.pointer() + (thread - fhi_thread_pointer()));
}

static void point(const struct fhi_record *record, const struct fhi_resource *resource, void *memory) {
  void **pointer = pointer_of(record, resource);
  // Release: who is told of the resource sees what it was constructed with.
  if (pointer)
    __atomic_store_n(pointer, memory, __ATOMIC_RELEASE);
}

// What a shutdown destroys stays readable for its thread.
static void point_nowhere(const struct fhi_record *record, const struct fhi_resource *resource) {
  if (fhi_engine(record->engine)->running != FHI_STOPPING || fhi_self(record->engine) == record->block)
    point(record, resource, NULL);
}

int fhi_make(struct fhi_record *record, int id) {
  struct fhi_engine *e = fhi_engine(record->engine);
  struct fhi_resource *resource = fhi_resource(record->engine, id);
  if (!resource || (id <= record->block->count && record->made[id - 1]))
    return 0;
  void *memory = fhi_grow(record, id) ? memory_for(record, resource) : NULL;
  if (!memory)
    return FH_GLOBALS_ENOMEM;
  __atomic_store_n(&record->block->storage[id - 1], memory, __ATOMIC_RELEASE);
  point(record, resource, memory);
  record->made[id - 1] = true; // a constructor that asks again does not begin again
  if (!resource->as.ctor)
    return 0;
  fh_globals_resource_t as = resource->as;
  struct fhi_busy busy = {id, record->busy, fhi_thread_pointer()};
  record->busy = &busy;
  fhi_leave(record->engine);
  bool failed = as.ctor(memory, as.argument) != 0;
  fhi_enter(record->engine);
  record->busy = busy.outer;
  fhi_monitor_changed(&e->monitor);
  if (!failed)
    return 0;
  record->made[id - 1] = false;
  point(record, resource, NULL);
  __atomic_store_n(&record->block->storage[id - 1], NULL, __ATOMIC_RELEASE);
  if (!resource->offset)
    free(memory);
  return FH_GLOBALS_ECTOR;
}

void fhi_unmake(struct fhi_record *record, int id) {
  struct fhi_engine *e = fhi_engine(record->engine);
  struct fhi_resource *resource = e->resources[id - 1];
  void *memory = record->block->storage[id - 1];
  record->made[id - 1] = false;
  if (resource->as.dtor) {
    fh_globals_resource_t as = resource->as;
    struct fhi_busy busy = {id, record->busy, fhi_thread_pointer()};
    record->busy = &busy;
    fhi_leave(record->engine);
    as.dtor(memory, as.argument);
    fhi_enter(record->engine);
    record->busy = busy.outer;
  }
  point_nowhere(record, resource);
  __atomic_store_n(&record->block->storage[id - 1], NULL, __ATOMIC_RELEASE);
  if (!resource->offset)
    free(memory);
  fhi_monitor_changed(&e->monitor);
}

int fhi_make_all(struct fhi_record *record) {
  struct fhi_engine *e = fhi_engine(record->engine);
  // Read anew each time: constructors may register.
  for (int id = 1; id <= e->count; ++id) {
    int error = fhi_make(record, id);
    if (error)
      return error;
  }
  return 0;
}

void fhi_unmake_all(struct fhi_record *record) {
  for (int id = record->block->count; id >= 1; --id)
    if (record->made[id - 1])
      fhi_unmake(record, id);
}
