// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// checked.c - an access of a file compiled with FREEHOLD_GLOBALS_CHECKED: is the block the calling thread's own? If not, the
// process stops with a line that says whose it is.
#include "globals.h"

static _Noreturn void stop(const fh_globals_t *engine, const char *what, const char *advice) {
  struct fhi_line line;
  fhi_line_start(&line);
  fhi_line_text(&line, "globals of ");
  fhi_line_text(&line, engine->name);
  fhi_line_text(&line, what);
  fhi_line_text(&line, advice);
  fhi_line_stop(&line);
}

static _Noreturn void stop_for(fh_globals_t *engine, uintptr_t base) {
  static const char *const Register = ": call fh_globals_thread_init in it first";
  const fh_globals_block_t *block = base != 0 && fhi_block_is_ours(base) ? (const fh_globals_block_t *)base : NULL;
  uintptr_t owner = block ? __atomic_load_n(&block->owner, __ATOMIC_ACQUIRE) : 0;
  if (fhi_engine(engine)->running != FHI_RUNNING)
    stop(engine, ": they are used, but not started", "");
  if (fhi_mine(engine))
    stop(engine, ": something else has set %gs in a thread that uses it", ": use the build with mode cached instead");
  if (owner != 0 && owner != fhi_thread_pointer())
    stop(engine, ": a thread that is not registered uses another thread's, whose %gs it was made with", Register);
  if (block && owner == 0)
    stop(engine, ": a thread that is not registered uses those of one that has ended, or of none", Register);
  if (base != 0 && base != FHI_GS_UNKNOWN)
    stop(engine, ": a thread that is not registered uses them, and %gs is another's", Register);
  stop(engine, ": a thread that is not registered uses them", Register);
}

void *fh_globals_checked(fh_globals_t *engine, int mode, const void *context) {
  // What has ended stays so: a block that became another thread's would no longer tell.
  __atomic_store_n(&fhi_blocks_stay, true, __ATOMIC_RELAXED);
  if (context) {
    const fh_globals_block_t *given = context;
    if (given->magic != FH_GLOBALS_MAGIC || given->engine != engine ||
        __atomic_load_n(&given->owner, __ATOMIC_ACQUIRE) != fhi_thread_pointer())
      stop(engine, ": a function was given a context that is not its thread's own", "");
    return (void *)(uintptr_t)context;
  }
  fh_globals_block_t *block = fhi_self(engine);
  bool by_gs = mode == FH_GLOBALS_GS;
  if (FHI_LIKELY(block && (!by_gs || fhi_gs_read() == (uintptr_t)block)))
    return block;
  stop_for(engine, by_gs ? fhi_gs_read() : 0);
}
