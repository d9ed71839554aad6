// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// globals.h - the inside of freehold/globals.h: resources, thread records, and the rules by which threads meet.
//
// One monitor an engine guards everything here; constructors and destructors never run in it. What keeps them in order instead:
//
//   - a *turn*: one thread at a time registers or unregisters resources or shuts down. It may do so again from a constructor.
//   - a record's state. Its own thread constructs while `starting` and destroys while `ending`; only a record that is `live` is
//     touched by the thread that has the turn, which pins it while it does: a pinned record's thread waits before it ends.
//   - a resource registered while a record is starting is left to that record's thread, which constructs until there is
//     nothing left to construct and only then becomes live.
//   - `busy`: the ids whose constructor or destructor runs on the record. Who unregisters one waits for that.
//
// So a thread that starts, ends, or registers never waits for another one's constructors, but for those that run on its own
// block, or, to register, for the turn.
#ifndef FHI_GLOBALS_H
#define FHI_GLOBALS_H

#include "../os/os.h"
#include "freehold/globals.h"

enum fhi_state { FHI_STARTING, FHI_LIVE, FHI_ENDING };

struct fhi_resource {
  fh_globals_resource_t as; // as registered
  size_t offset;            // from the thread block's start; 0: memory of its own
  bool placed;              // TSRMG_D gave it its place, which may be another thread-local variable than the thread block
  bool gone;                // unregistered; its place in the reserve may be another's
  bool reusable;            // gone, and its place is not another's yet
};

// What the runtime knows of a thread block. Apart from the block, which may be a thread-local variable.
struct fhi_record {
  fh_globals_t *engine; // not to be touched once orphaned: it may be unloaded
  fh_globals_block_t *block;
  bool native; // the block is a thread-local variable
  bool stuck;  // %gs cannot be turned away from the block: nobody else gets it
  bool held;   // by a thread, whose life line is:
  fhi_lifeline_t line;
  bool deferred;   // its thread is ending, and other keys' destructors get a round first
  bool orphaned;   // the engine was shut down before its thread ended: its thread frees it, nobody else knows it
  uint64_t serial; // one of its own among the engine's records
  enum fhi_state state;
  int pins;
  struct fhi_busy *busy;              // constructors and destructors that run on it, nested ones first
  bool *made;                         // made[id - 1]: constructed; as long as storage
  struct fhi_table *tables;           // all storage tables, the present one first
  struct fhi_record *previous, *next; // the engine's threads in the order they came
  struct fhi_record *same_thread;     // the thread's blocks of other engines
};

struct fhi_busy {
  int id;
  struct fhi_busy *outer;
  uintptr_t runner; // the thread pointer of who runs it
};

static inline bool fhi_is_busy(const struct fhi_record *record, int id) {
  for (const struct fhi_busy *busy = record->busy; busy; busy = busy->outer)
    if (busy->id == id)
      return true;
  return false;
}

struct fhi_table {
  struct fhi_table *older;
  void *entries[];
};

enum fhi_running { FHI_NEVER, FHI_RUNNING, FHI_STOPPING, FHI_STOPPED };

// What fh_globals_t keeps in `internal`. All zeros before the first startup.
struct fhi_engine {
  struct fhi_monitor monitor;
  enum fhi_running running;
  struct fhi_resource **resources; // [id - 1]
  int count, capacity;
  size_t reserve_used; // from the block's start
  struct fhi_record *first, *last;
  int threads;
  pthread_t turn;
  bool gs;            // it has %gs
  int refused;        // why its startup failed
  bool points;        // some resource has, or had, a pointer
  const void *copy;   // of this library that started it
  int depth;          // of the turn; 0: nobody has it
  fh_globals_t *next; // of the running engines
  int peak;
  uint64_t started, ended;
  // TSRM's handlers
  void (*begin)(fh_globals_block_t *block);
  void (*end)(fh_globals_block_t *block);
};
_Static_assert(sizeof(struct fhi_engine) <= sizeof(((fh_globals_t *)0)->internal), "the engine's state fits");

static inline struct fhi_engine *fhi_engine(fh_globals_t *engine) { return (struct fhi_engine *)(void *)engine->internal; }
// In the monitor; tsrm_is_shutdown reads it without.
static inline void fhi_set_running(struct fhi_engine *engine, enum fhi_running running) {
  __atomic_store_n(&engine->running, running, __ATOMIC_RELAXED);
}
static inline void fhi_enter(fh_globals_t *engine) { fhi_monitor_enter(&fhi_engine(engine)->monitor); }
static inline void fhi_leave(fh_globals_t *engine) { fhi_monitor_leave(&fhi_engine(engine)->monitor); }

// ---- engine.c ----
// Sets the calling thread's error and returns it.
FHI_HIDDEN int fhi_error(int error);
// FH_GLOBALS_EMODE and a line if another copy of this library started the engine: copies do not know each other's threads.
FHI_HIDDEN int fhi_check_copy(const fh_globals_t *engine);
// Is it running? Else the error is set. In the monitor.
FHI_HIDDEN bool fhi_running(fh_globals_t *engine);
// Waits for the turn; in the monitor, as is the return.
FHI_HIDDEN void fhi_turn_take(fh_globals_t *engine);
FHI_HIDDEN void fhi_turn_give(fh_globals_t *engine);
FHI_HIDDEN bool fhi_turn_mine(fh_globals_t *engine);

// ---- serial.c ----
// Around TSRM's constructors, destructors and handlers; a thread may enter again.
FHI_HIDDEN void fhi_serial_enter(void);
FHI_HIDDEN void fhi_serial_leave(void);
// Out of it altogether, and in again as deep: around what may wait for other threads. 0: the calling thread is not inside.
FHI_HIDDEN int fhi_serial_drop(void);
FHI_HIDDEN void fhi_serial_again(int depth);
FHI_HIDDEN void fhi_serial_before_fork(void); // nobody who is inside is waited for
FHI_HIDDEN void fhi_serial_in_parent(void);
FHI_HIDDEN void fhi_serial_in_child(void);

// ---- resources.c ----
// The resource of an id, NULL if there is none. In the monitor.
FHI_HIDDEN struct fhi_resource *fhi_resource(fh_globals_t *engine, int id);
FHI_HIDDEN void fhi_resources_drop(fh_globals_t *engine);
// As fh_globals_register, of what has its place already, offset from the thread block's start, unless that is 0. It is registered
// once at a time: if it is, the id stays.
FHI_HIDDEN fh_globals_id_t fhi_register_placed(fh_globals_t *engine, const fh_globals_resource_t *as, size_t offset);
// Where it lies in the thread block; 0: it does not lie there.
static inline size_t fhi_offset_in_block(const fh_globals_t *engine, const struct fhi_resource *resource) {
  return resource->offset < engine->size ? resource->offset : 0;
}
// From now on the process's end is known from the unloading of a module.
FHI_HIDDEN void fhi_watch_exit(void);

// ---- fits.c ----
// The layout's line of that name, NULL: there is none.
FHI_HIDDEN const fh_globals_slot_t *fhi_slot(const fh_globals_t *engine, const char *name);
// 0, or the error of which a line has told.
FHI_HIDDEN int fhi_fits(const fh_globals_t *engine, const fh_globals_resource_t *as);

// ---- construct.c: one resource of one record; in the monitor, left meanwhile ----
FHI_HIDDEN int fhi_make(struct fhi_record *record, int id);
FHI_HIDDEN void fhi_unmake(struct fhi_record *record, int id);
// Room for that many ids in the storage table. false: no memory.
FHI_HIDDEN bool fhi_grow(struct fhi_record *record, int id);
// All that the calling thread's own record lacks, in the order of ids.
FHI_HIDDEN int fhi_make_all(struct fhi_record *record);
// All that it has, in the reverse order.
FHI_HIDDEN void fhi_unmake_all(struct fhi_record *record);

// ---- threads.c ----
// Takes a record out of the engine's list; in the monitor.
FHI_HIDDEN void fhi_record_unlink(struct fhi_record *record);
// Frees an unlinked record with its block, which nobody has.
FHI_HIDDEN void fhi_record_dispose(struct fhi_record *record);
// The same of the calling thread's own.
FHI_HIDDEN void fhi_record_free(struct fhi_record *record);
static inline struct fhi_record *fhi_record_of(const fh_globals_block_t *block) { return block->record; }
// Destroys all and frees it; not in the monitor. Of a record of the calling thread.
FHI_HIDDEN void fhi_record_end(struct fhi_record *record);

// ---- reap.c: life lines ----
// The calling thread has the record, or has it no more.
FHI_HIDDEN void fhi_record_hold(struct fhi_record *record);
FHI_HIDDEN void fhi_record_release(struct fhi_record *record);
// The record, or the first one after it whose thread is not gone without a word; those between are reaped. In the monitor, which
// is left meanwhile.
FHI_HIDDEN struct fhi_record *fhi_alive(struct fhi_record *record);

// ---- self.c, self.h: the calling thread's block ----
static inline fh_globals_block_t *fhi_self(const fh_globals_t *engine);
// The same, though %gs does not lead there: something else has set it since.
static inline fh_globals_block_t *fhi_mine(const fh_globals_t *engine);
// Makes it what the mode's accesses go through, in the calling thread; NULL: it has none any more. false: it is not so, and all
// is as before.
FHI_HIDDEN bool fhi_self_set(fh_globals_t *engine, fh_globals_block_t *block);
// Around destructors of the calling thread that must not fail: they find its block, and afterwards %gs is what it was.
FHI_HIDDEN uintptr_t fhi_self_regain(fh_globals_t *engine);
FHI_HIDDEN void fhi_self_yield(uintptr_t others);

// ---- own.c: the calling thread's records, and its end ----
// Makes the key. false: there is none left.
FHI_HIDDEN bool fhi_own_start(void);
FHI_HIDDEN bool fhi_own_add(struct fhi_record *record);
FHI_HIDDEN void fhi_own_remove(struct fhi_record *record);
extern FHI_HIDDEN pthread_key_t fhi_key; // its value: the thread's first record
extern FHI_HIDDEN bool fhi_key_made;
// Has the calling thread stored a value? libc hands the memory of a thread that vanished, its keys' values included, to a new
// one; but thread-local variables it makes anew. Those that a compiler emulates cannot tell: they are behind a key themselves,
// and gone before this one's destructor runs.
#ifdef FREEHOLD_GLOBALS_EMULATED_TLS
static inline bool fhi_key_stored(void) { return true; }
static inline void fhi_key_store(void) {}
#else
extern FHI_HIDDEN _Thread_local bool fhi_key_has_value;
static inline bool fhi_key_stored(void) { return fhi_key_has_value; }
static inline void fhi_key_store(void) { fhi_key_has_value = true; }
#endif

// ---- stats.c: in the monitor ----
FHI_HIDDEN void fhi_stats_read(fh_globals_t *engine, fh_globals_stats_t *now);
FHI_HIDDEN bool fhi_stats_next(fh_globals_t *engine, fh_globals_id_t id, fh_globals_resource_info_t *info);
// ---- stats_print.c ----
// What FREEHOLD_STATS asks for; not in the monitor.
FHI_HIDDEN void fhi_stats_at_shutdown(fh_globals_t *engine);

// ---- fork.c: running engines, made whole again in a forked child ----
FHI_HIDDEN bool fhi_fork_watch(fh_globals_t *engine);
FHI_HIDDEN void fhi_fork_unwatch(fh_globals_t *engine);

// ---- blocks.c ----
#define FHI_IDLE_MAGIC UINT64_C(0x66682d69646c6500) // of a block that is kept for a thread to come
// Guards the process's short lists: blocks, TSRM's handlers. The last to be entered.
extern FHI_HIDDEN struct fhi_monitor fhi_lists;
// A zeroed block for the calling thread; NULL: no memory.
FHI_HIDDEN fh_globals_block_t *fhi_block_new(fh_globals_t *engine);
FHI_HIDDEN void fhi_block_free(fh_globals_block_t *block);
// Blocks that nobody has are not given to another thread any more: the checked build.
extern FHI_HIDDEN bool fhi_blocks_stay;
// Is there a block on the heap, of whatever thread or engine, at that address?
FHI_HIDDEN bool fhi_block_is_ours(uintptr_t address);

// ---- gs.c ----
#if FH_GLOBALS_HAS_GS
// 0 or FH_GLOBALS_EGS, with a line.
FHI_HIDDEN int fhi_gs_claim(const fh_globals_t *engine);
FHI_HIDDEN void fhi_gs_release(void);
#define FHI_GS_UNKNOWN UINTPTR_MAX // it cannot be read
FHI_HIDDEN uintptr_t fhi_gs_read(void);
// false: it is not set.
FHI_HIDDEN bool fhi_gs_write(uintptr_t base);
// FH_GLOBALS_EGS each time, with a line the first time: it cannot be set since a filter came; something else has set it in a
// thread that has a block; something else has it in a thread that has none (0: nothing has).
FHI_HIDDEN int fhi_gs_denied(const fh_globals_t *engine);
FHI_HIDDEN int fhi_gs_displaced(const fh_globals_t *engine);
FHI_HIDDEN int fhi_gs_vacant(const fh_globals_t *engine);
// Would a thread that the calling one makes have a base of ours?
FHI_HIDDEN bool fhi_gs_would_be_inherited(void);
// The calling thread has none, but what something else sets.
FHI_HIDDEN void fhi_gs_leave_behind(void);
#else
static inline int fhi_gs_claim(const fh_globals_t *engine) { return engine ? FH_GLOBALS_EGS : 0; }
static inline void fhi_gs_release(void) {}
#define FHI_GS_UNKNOWN UINTPTR_MAX
static inline uintptr_t fhi_gs_read(void) { return 0; }
static inline bool fhi_gs_write(uintptr_t base) { return base == 0; }
static inline int fhi_gs_denied(const fh_globals_t *engine) { return engine ? FH_GLOBALS_EGS : 0; }
static inline int fhi_gs_displaced(const fh_globals_t *engine) { return engine ? FH_GLOBALS_EGS : 0; }
static inline int fhi_gs_vacant(const fh_globals_t *engine) { return (void)engine, 0; }
#endif

#include "self.h"
#endif
