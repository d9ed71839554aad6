// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reap.c - threads that are gone though no destructor of theirs ran: ended by a bare system call, or by another runtime than
// libc's. Their life lines tell. Who comes upon such a record destroys what its thread left behind, on its own thread.
#include "globals.h"

#include <stdlib.h>

void fhi_record_hold(struct fhi_record *record) {
  fhi_lifeline_hold(&record->line);
  record->held = true;
}

void fhi_record_release(struct fhi_record *record) {
  if (record->held)
    fhi_lifeline_release(&record->line);
  record->held = false;
}

static bool is_dead(const struct fhi_record *record) { return record->held && !fhi_lifeline_held(&record->line); }

static void reap(struct fhi_record *record) {
  struct fhi_engine *e = fhi_engine(record->engine);
  bool whole = record->state == FHI_LIVE && !record->busy;
  record->state = FHI_ENDING;
  record->held = false;
  // A thread-local block went with its thread. What its thread was in the middle of making or destroying is in an unknown state,
  // and what says so lay on its stack: that is left alone.
  record->busy = NULL;
  if (whole && !record->native)
    fhi_unmake_all(record);
  while (record->pins != 0)
    fhi_monitor_wait(&e->monitor);
  if (!record->native)
    __atomic_store_n(&record->block->owner, 0, __ATOMIC_RELEASE);
  fhi_record_unlink(record);
  fhi_monitor_changed(&e->monitor);
  if (whole)
    fhi_record_dispose(record);
}

struct fhi_record *fhi_alive(struct fhi_record *record) {
  while (record && record->pins == 0 && is_dead(record)) {
    struct fhi_record *next = record->next;
    if (next)
      ++next->pins;
    struct fhi_engine *e = fhi_engine(record->engine);
    reap(record);
    if (next)
      --next->pins;
    fhi_monitor_changed(&e->monitor);
    record = next;
  }
  return record;
}
