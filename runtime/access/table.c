// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// table.c - records by thread id, for back ends without thread-local storage.
//
// An open-addressed hash table of pointers to records. Records are never unmapped, so any pointer found in a table, however old,
// may be read. Writers hold the global lock; readers take none:
//
//   found      A record is the caller's if its owner is the caller's id and its life line is held. The C library gives the id of
//              a thread that ended to a new one, but only after the kernel has broken the old one's life line, so an entry left
//              behind is never taken for the new thread's. A record that was dropped and given to another thread: `owner` is
//              cleared before the life line is taken anew, and read here after it.
//   not found  True only if no other table was put in place meanwhile, since a table that was outgrown is emptied and used again.
//
// A thread's own entry is written before it looks, by itself, and stays until it is gone, so the answer cannot be missed.
//
// Growing: the new table is complete before it is published. Entries of dropped records stay as marks, which a search must pass;
// when live ones and marks fill half, the live ones move to a new table, or to the one before this, if that is large enough. So
// what is kept is at most three times what is needed, however many threads come and go.
//
// Model: tests/model/orders (table).
#include "access.h"

#if FH_ACCESS == FH_TABLE || FH_ACCESS == FH_KEY
#include <string.h>

struct table {
  size_t mask;
  _Atomic(struct fhi_self *) slots[];
};

enum { FirstSlots = 512 };
static struct table First = {.mask = FirstSlots - 1, .slots = {[FirstSlots - 1] = NULL}};

static struct table *_Atomic Current = &First;
static _Atomic(size_t) Generation; // counts the tables that were put in place
// Under the global lock.
static struct table *Spare;
static size_t Live, Marks;

static struct fhi_self Mark; // in the slot of a record that was dropped

static size_t place(uintptr_t id) { return (size_t)(id * 0x9e3779b97f4a7c15u >> 32); }

static struct fhi_self *find_in(struct table *table, uintptr_t id) {
  size_t i = place(id), end = i + table->mask;
  for (; i <= end; ++i) {
    // Acquire, paired with the release in insert() and publish(): the record's line and owner are seen.
    struct fhi_self *record = atomic_load_explicit(&table->slots[i & table->mask], memory_order_acquire);
    if (!record)
      return NULL;
    if (fhi_is_callers(record, id))
      return record;
  }
  return NULL;
}

struct fhi_self *fhi_table_find(void) {
  uintptr_t id = (uintptr_t)pthread_self();
  for (;;) {
    size_t generation = atomic_load_explicit(&Generation, memory_order_acquire);
    struct fhi_self *record = find_in(atomic_load_explicit(&Current, memory_order_acquire), id);
    if (record)
      return record;
    // Pairs with the fence in next_table(): a table seen while it is emptied is one of an older generation.
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&Generation, memory_order_relaxed) == generation)
      return (struct fhi_self *)&fhi_no_self;
  }
}

// Puts the record where a search for its owner finds it: in the place of one that the same id left behind, else of a mark.
static void insert(struct table *table, struct fhi_self *record, uintptr_t id) {
  _Atomic(struct fhi_self *) *free_slot = NULL;
  for (size_t i = place(id);; ++i) {
    _Atomic(struct fhi_self *) *slot = &table->slots[i & table->mask];
    struct fhi_self *there = atomic_load_explicit(slot, memory_order_relaxed);
    if (there == &Mark && !free_slot)
      free_slot = slot;
    if (there && there != &Mark && atomic_load_explicit(&there->owner, memory_order_relaxed) == id) {
      atomic_store_explicit(&there->owner, 0, memory_order_relaxed);
      atomic_store_explicit(slot, record, memory_order_release);
      return;
    }
    if (!there) {
      if (free_slot)
        --Marks;
      ++Live;
      atomic_store_explicit(free_slot ? free_slot : slot, record, memory_order_release);
      return;
    }
  }
}

// An empty table of `slots` slots; NULL: no memory.
static struct table *next_table(size_t slots) {
  struct table *table = Spare;
  if (!table || table->mask + 1 < slots) {
    table = fhi_os_map(sizeof *table + slots * sizeof table->slots[0]);
    if (table)
      table->mask = slots - 1;
    return table;
  }
  atomic_thread_fence(memory_order_release);
  for (size_t i = 0; i <= table->mask; ++i)
    atomic_store_explicit(&table->slots[i], NULL, memory_order_relaxed);
  return table;
}

// Room for one more, in a table that is at most half full.
static bool make_room(void) {
  struct table *old = atomic_load_explicit(&Current, memory_order_relaxed);
  if ((Live + Marks + 1) * 2 <= old->mask + 1)
    return true;
  size_t slots = FirstSlots;
  while (slots < (Live + 1) * 4)
    slots *= 2;
  struct table *table = next_table(slots);
  if (!table)
    return (Live + Marks + 1) < old->mask; // slower, but right while one slot is empty
  Live = Marks = 0;
  for (size_t i = 0; i <= old->mask; ++i) {
    struct fhi_self *record = atomic_load_explicit(&old->slots[i], memory_order_relaxed);
    uintptr_t id = record ? atomic_load_explicit(&record->owner, memory_order_relaxed) : 0;
    if (id != 0)
      insert(table, record, id);
  }
  atomic_store_explicit(&Current, table, memory_order_release);
  atomic_fetch_add_explicit(&Generation, 1, memory_order_release);
  Spare = old;
  return true;
}

bool fhi_table_make(struct fhi_self *record, const fhi_lifeline_t *line) {
  if (!make_room())
    return false;
  // Not the owner: others may be looking at it.
  memcpy(record, &fhi_no_self, offsetof(struct fhi_self, line));
  record->line = line;
  uintptr_t id = (uintptr_t)pthread_self();
  atomic_store_explicit(&record->owner, id, memory_order_release);
  insert(atomic_load_explicit(&Current, memory_order_relaxed), record, id);
  return true;
}

void fhi_table_drop(struct fhi_self *record) {
  struct table *table = atomic_load_explicit(&Current, memory_order_relaxed);
  uintptr_t id = atomic_load_explicit(&record->owner, memory_order_relaxed);
  if (id == 0)
    return; // another thread of the same id took its place
  for (size_t i = place(id);; ++i) {
    _Atomic(struct fhi_self *) *slot = &table->slots[i & table->mask];
    struct fhi_self *there = atomic_load_explicit(slot, memory_order_relaxed);
    if (there == record) {
      atomic_store_explicit(slot, &Mark, memory_order_relaxed);
      ++Marks;
      --Live;
    }
    if (there == record || !there)
      break;
  }
  // Release, paired with the acquire in fhi_is_callers() by way of the life line, which its next owner takes after this.
  atomic_store_explicit(&record->owner, 0, memory_order_release);
}
#endif
