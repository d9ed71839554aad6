// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// engine.c - startup, shutdown, the turn, errors.
#include "globals.h"

#include <string.h>

static _Thread_local int Error;

int fhi_error(int error) {
  Error = error;
  return error;
}

int fh_globals_error(void) { return Error; }

const char *fh_globals_error_text(int error) {
  static const char *const Texts[] = {"no error",
                                      "the engine was not started, or was shut down",
                                      "no memory",
                                      "invalid argument",
                                      "the generated layout does not fit: generate it again and rebuild",
                                      "a constructor failed",
                                      "the gs register cannot be had: build with mode cached",
                                      "compiled for another mode or version of libfreehold-tsrm",
                                      "not from within a constructor or destructor",
                                      "not supported in this mode"};
  return error >= 0 && (size_t)error < sizeof Texts / sizeof *Texts ? Texts[error] : "unknown error";
}

bool fhi_running(fh_globals_t *engine) {
  if (fhi_engine(engine)->running == FHI_RUNNING)
    return true;
  fhi_error(fhi_engine(engine)->refused ? fhi_engine(engine)->refused : FH_GLOBALS_ENOTSTARTED);
  return false;
}

// ---- the turn ----

bool fhi_turn_mine(fh_globals_t *engine) {
  struct fhi_engine *e = fhi_engine(engine);
  return e->depth != 0 && pthread_equal(e->turn, pthread_self());
}

void fhi_turn_take(fh_globals_t *engine) {
  struct fhi_engine *e = fhi_engine(engine);
  if (!fhi_turn_mine(engine)) {
    while (e->depth != 0)
      fhi_monitor_wait(&e->monitor);
    e->turn = pthread_self();
  }
  ++e->depth;
}

void fhi_turn_give(fh_globals_t *engine) {
  struct fhi_engine *e = fhi_engine(engine);
  if (--e->depth == 0)
    fhi_monitor_changed(&e->monitor);
}

// ---- startup and shutdown ----

static int refuse(const fh_globals_t *engine, const char *what) {
  struct fhi_line line;
  fhi_line_start(&line);
  fhi_line_text(&line, "globals of ");
  fhi_line_text(&line, engine->name);
  fhi_line_text(&line, what);
  fhi_line_write(&line);
  return FH_GLOBALS_EMODE;
}

// Who only offers %gs to modules goes without it where it cannot be had: they are told.
static int claim_gs(fh_globals_t *engine) {
  int error = fhi_gs_claim(engine);
  fhi_engine(engine)->gs = error == 0;
  return engine->mode == FH_GLOBALS_GS ? error : 0;
}

int fhi_check_copy(const fh_globals_t *engine) {
  const void *copy = fhi_engine((fh_globals_t *)(uintptr_t)engine)->copy;
  if (!copy || copy == &fhi_lists)
    return 0;
  return refuse(engine,
                ": a module has a copy of libfreehold-tsrm of its own: link the program with -rdynamic, and the module without "
                "the archive");
}

int fh_globals_startup(fh_globals_t *engine) {
  if (!engine)
    return fhi_error(FH_GLOBALS_EINVAL);
  if (engine->version != FH_GLOBALS_VERSION)
    return fhi_error(refuse(engine, ": compiled with another version of freehold/globals.h than the library's: rebuild it"));
  struct fhi_engine *e = fhi_engine(engine);
  fhi_watch_exit();
  // Before the monitor: fork takes them in this order.
  bool watched = fhi_fork_watch(engine);
  fhi_enter(engine);
  int error = watched ? 0 : FH_GLOBALS_ENOMEM;
  if (!error && e->running != FHI_RUNNING) {
    if (e->running == FHI_STOPPING)
      error = FH_GLOBALS_EBUSY;
    else if (!fhi_own_start())
      error = FH_GLOBALS_ENOMEM;
    else if (engine->mode == FH_GLOBALS_GS || engine->also == FH_GLOBALS_GS)
      error = claim_gs(engine);
    e->refused = error;
    if (!error) {
      e->reserve_used = engine->reserve;
      e->copy = &fhi_lists;
      fhi_set_running(e, FHI_RUNNING);
    }
  }
  fhi_leave(engine);
  return fhi_error(error);
}

// Destroys what a thread has, on the calling thread, which has the turn. The calling thread's own block stays its own meanwhile:
// other threads' destructors may use it.
static void end_for(struct fhi_record *record, const struct fhi_record *mine) {
  ++record->pins;
  fhi_unmake_all(record);
  --record->pins;
  fhi_record_unlink(record);
  if (record == mine)
    return;
  // A fiber's block has no thread that would free it.
  bool nobodys = __atomic_load_n(&record->block->owner, __ATOMIC_RELAXED) == 0;
  // Entry points compare the owner: from here on its thread has no block. Its memory is not ours to give back.
  __atomic_store_n(&record->block->owner, 0, __ATOMIC_RELEASE);
  // Release: its thread, which does not enter the monitor of an engine that may be gone, finds all this done.
  __atomic_store_n(&record->orphaned, true, __ATOMIC_RELEASE);
  if (nobodys)
    fhi_record_free(record);
}

int fh_globals_shutdown(fh_globals_t *engine) {
  if (!engine)
    return fhi_error(FH_GLOBALS_EINVAL);
  struct fhi_engine *e = fhi_engine(engine);
  fhi_enter(engine);
  fh_globals_block_t *own = fhi_mine(engine);
  struct fhi_record *mine = own ? fhi_record_of(own) : NULL;
  if (e->running != FHI_RUNNING || fhi_turn_mine(engine) || (mine && (mine->busy || mine->state != FHI_LIVE))) {
    int error = e->running == FHI_RUNNING ? FH_GLOBALS_EBUSY : 0;
    fhi_leave(engine);
    return fhi_error(error);
  }
  fhi_turn_take(engine);
  if (e->running == FHI_RUNNING) { // nobody else did it while we waited
    fhi_leave(engine);
    fhi_stats_at_shutdown(engine); // the turn is ours: all is still there
    fhi_enter(engine);
    fhi_set_running(e, FHI_STOPPING);
    uintptr_t others = fhi_self_regain(engine);
    for (struct fhi_record *record; (record = fhi_alive(e->first)) != NULL;) {
      if (record->state == FHI_LIVE)
        end_for(record, mine);
      else
        fhi_monitor_wait(&e->monitor); // its thread is starting, which will fail, or ending
    }
    if (mine) {
      mine->stuck = !fhi_self_set(engine, NULL);
      __atomic_store_n(&own->owner, 0, __ATOMIC_RELEASE);
      fhi_record_free(mine);
    }
    fhi_self_yield(others);
    fhi_resources_drop(engine);
    if (e->gs)
      fhi_gs_release();
    e->gs = false;
    fhi_set_running(e, FHI_STOPPED);
  }
  fhi_turn_give(engine);
  fhi_leave(engine);
  fhi_fork_unwatch(engine);
  return fhi_error(0);
}
