// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fork.c - in a forked child only the thread that called fork goes on. The other threads' blocks are freed there, but their
// destructors do not run: what they would destroy belongs to threads that go on in the parent, or was half done.
//
// Before the fork all turns are waited for, then all monitors: no registration is half done in the child.
#include "globals.h"

#include <stdlib.h>

static struct fhi_monitor Monitor = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};
static fh_globals_t *Running;
static pthread_once_t Once = PTHREAD_ONCE_INIT;
static bool Watching;

static void give_turns_before(const fh_globals_t *end) {
  for (fh_globals_t *engine = Running; engine != end; engine = fhi_engine(engine)->next) {
    fhi_turn_give(engine);
    fhi_leave(engine);
  }
  fhi_monitor_leave(&Monitor);
}

static void in_parent(void) {
  fhi_monitor_leave(&fhi_lists);
  fhi_serial_in_parent();
  give_turns_before(NULL);
}

// Whoever has a turn may be waiting for our monitor, or for another engine's turn: what is taken is given back before waiting.
static void take_turns(void) {
  fhi_monitor_enter(&Monitor);
  for (fh_globals_t *engine = Running; engine; engine = fhi_engine(engine)->next) {
    fhi_enter(engine);
    struct fhi_engine *e = fhi_engine(engine);
    if (e->depth == 0 || fhi_turn_mine(engine)) {
      fhi_turn_take(engine);
      continue;
    }
    give_turns_before(engine);
    fhi_monitor_wait(&e->monitor);
    fhi_leave(engine);
    take_turns();
    return;
  }
}

static void before_fork(void) {
  take_turns();
  fhi_serial_before_fork();
  fhi_monitor_enter(&fhi_lists);
}

static void drop_others(fh_globals_t *engine) {
  struct fhi_engine *e = fhi_engine(engine);
  fh_globals_block_t *own = fhi_mine(engine);
  fhi_monitor_renew(&e->monitor);
  fhi_enter(engine);
  for (struct fhi_record *record = e->first, *next; record; record = next) {
    next = record->next;
    if (record->block == own) {
      fhi_record_hold(record); // the child's thread has another id
      continue;
    }
    if (!record->held)
      continue; // a fiber's
    fhi_record_unlink(record);
    for (int id = 1; !record->native && id <= e->count; ++id)
      if (e->resources[id - 1]->offset == 0 && id <= record->block->count)
        free(record->block->storage[id - 1]);
    if (!record->native)
      __atomic_store_n(&record->block->owner, 0, __ATOMIC_RELEASE);
    fhi_record_dispose(record);
  }
}

static void in_child(void) {
  fhi_monitor_renew(&fhi_lists);
  fhi_serial_in_child();
  fhi_monitor_renew(&Monitor);
  fhi_monitor_enter(&Monitor);
  for (fh_globals_t *engine = Running; engine; engine = fhi_engine(engine)->next)
    drop_others(engine);
  give_turns_before(NULL);
}

static void watch(void) { Watching = pthread_atfork(before_fork, in_parent, in_child) == 0; }

bool fhi_fork_watch(fh_globals_t *engine) {
  pthread_once(&Once, watch);
  fhi_monitor_enter(&Monitor);
  fh_globals_t **at = &Running;
  while (*at && *at != engine)
    at = &fhi_engine(*at)->next;
  if (!*at) {
    fhi_engine(engine)->next = NULL;
    *at = engine;
  }
  fhi_monitor_leave(&Monitor);
  return Watching;
}

void fhi_fork_unwatch(fh_globals_t *engine) {
  fhi_monitor_enter(&Monitor);
  fh_globals_t **at = &Running;
  while (*at && *at != engine)
    at = &fhi_engine(*at)->next;
  if (*at)
    *at = fhi_engine(engine)->next;
  fhi_monitor_leave(&Monitor);
}
