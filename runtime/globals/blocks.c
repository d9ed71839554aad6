// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// blocks.c - memory of thread blocks: thread-local, or from the process's malloc.
//
// Where %gs is used a block is never given back, but kept for the next thread: a new thread inherits the base of its creator,
// whose block may be gone by then. The owner in its header, which tells that it is not the new thread's, must stay readable.
// Beyond KEPT_WHOLE idle blocks only the first page of each keeps its memory. The address that accesses read in its header leads
// nowhere meanwhile: who uses a block whose thread has ended faults.
#include "globals.h"

#include <stdlib.h>
#include <string.h>

#define KEPT_WHOLE 64
#define PAGE ((uintptr_t)4096)

struct fhi_monitor fhi_lists = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};
static fh_globals_block_t *Idle; // kept and nobody's, linked by next
static fh_globals_block_t *All;  // kept, linked by all
static size_t IdleCount;
bool fhi_blocks_stay;

// Where the blocks that nobody has lead to: no memory, as long as the longest of them. In the monitor. NULL: it cannot be had.
static fh_globals_block_t *nowhere(size_t size) {
  static fh_globals_block_t *Nowhere;
  static size_t Length;
  size = (size + PAGE - 1) & ~(PAGE - 1);
  if (size > Length) {
    void *made = fhi_os_map(size);
    if (!made)
      return NULL;
    fhi_os_protect(made, size, false);
    Nowhere = made; // the shorter one stays: blocks lead there
    Length = size;
  }
  return Nowhere;
}

static size_t round_up(size_t size) { return (size + FH_GLOBALS_ALIGNMENT - 1) & ~(size_t)(FH_GLOBALS_ALIGNMENT - 1); }

static fh_globals_block_t *from_idle(size_t size) {
  fh_globals_block_t *found = NULL;
  fhi_monitor_enter(&fhi_lists);
  for (fh_globals_block_t **at = &Idle; *at && !__atomic_load_n(&fhi_blocks_stay, __ATOMIC_RELAXED); at = &(*at)->next)
    if ((*at)->kept == size) {
      found = *at;
      *at = found->next;
      --IdleCount;
      break;
    }
  fhi_monitor_leave(&fhi_lists);
  return found;
}

static fh_globals_block_t *from_malloc(size_t size, bool keep) {
  void *memory = NULL;
  if (posix_memalign(&memory, FH_GLOBALS_ALIGNMENT, size) != 0)
    return NULL;
  fh_globals_block_t *block = memory;
  memset(block, 0, sizeof *block);
  if (keep) {
    block->kept = size;
    fhi_monitor_enter(&fhi_lists);
    block->all = All;
    All = block;
    fhi_monitor_leave(&fhi_lists);
  }
  return block;
}

fh_globals_block_t *fhi_block_new(fh_globals_t *engine) {
  size_t size = round_up(engine->size);
  bool keep = fhi_engine(engine)->gs;
  fh_globals_block_t *block = engine->native ? engine->native() : keep ? from_idle(size) : NULL;
  if (!block)
    block = from_malloc(size, keep);
  if (!block)
    return NULL;
  block->storage = NULL;
  block->count = 0;
  block->next = NULL;
  block->self = block;
  __atomic_store_n(&block->owner, 0, __ATOMIC_RELAXED); // read by threads that do not have the block
  block->magic = FH_GLOBALS_MAGIC;
  block->engine = engine;
  block->thread = (uintptr_t)pthread_self();
  return block;
}

void fhi_block_free(fh_globals_block_t *block) {
  block->magic = FHI_IDLE_MAGIC;
  if (block->kept == 0) {
    free(block);
    return;
  }
  fhi_monitor_enter(&fhi_lists);
  if (IdleCount >= KEPT_WHOLE) {
    uintptr_t from = ((uintptr_t)block + sizeof *block + PAGE - 1) & ~(PAGE - 1),
              to = ((uintptr_t)block + block->kept) & ~(PAGE - 1);
    if (from < to)
      fhi_os_purge((void *)from, to - from);
  }
  ++IdleCount;
  block->self = nowhere(block->kept);
  block->next = Idle;
  Idle = block;
  fhi_monitor_leave(&fhi_lists);
}

bool fhi_block_is_ours(uintptr_t address) {
  bool found = false;
  fhi_monitor_enter(&fhi_lists);
  for (const fh_globals_block_t *block = All; block && !found; block = block->all)
    found = (uintptr_t)block == address;
  fhi_monitor_leave(&fhi_lists);
  return found;
}
