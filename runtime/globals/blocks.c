// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// blocks.c - memory of thread blocks.
//
// A block on the heap is never given back to malloc, but kept for the next thread: with mode gs a new thread inherits the base of
// its creator, whose block may be gone. The owner in its header, which tells that it is not the new thread's, must stay readable.
#include "globals.h"

#include <stdlib.h>
#include <string.h>

static struct fhi_monitor Monitor = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};
static fh_globals_block_t *Idle; // linked by next
static fh_globals_block_t *All;  // linked by all

static size_t units(const fh_globals_t *engine) { return (engine->size + FH_GLOBALS_ALIGNMENT - 1) / FH_GLOBALS_ALIGNMENT; }

static fh_globals_block_t *from_idle(size_t want) {
  fh_globals_block_t *found = NULL;
  fhi_monitor_enter(&Monitor);
  for (fh_globals_block_t **at = &Idle; *at; at = &(*at)->next)
    if ((*at)->units == want) {
      found = *at;
      *at = found->next;
      break;
    }
  fhi_monitor_leave(&Monitor);
  return found;
}

fh_globals_block_t *fhi_block_new(fh_globals_t *engine) {
  fh_globals_block_t *block = engine->native ? engine->native() : from_idle(units(engine));
  void *memory = block;
  if (!block && posix_memalign(&memory, FH_GLOBALS_ALIGNMENT, units(engine) * FH_GLOBALS_ALIGNMENT) != 0)
    return NULL;
  if (!block) {
    block = memory;
    memset(block, 0, sizeof *block);
    block->units = units(engine);
    fhi_monitor_enter(&Monitor);
    block->all = All;
    All = block;
    fhi_monitor_leave(&Monitor);
  }
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
  block->magic = 0;
  fhi_monitor_enter(&Monitor);
  block->next = Idle;
  Idle = block;
  fhi_monitor_leave(&Monitor);
}

bool fhi_block_is_ours(uintptr_t address) {
  bool found = false;
  fhi_monitor_enter(&Monitor);
  for (const fh_globals_block_t *block = All; block && !found; block = block->all)
    found = (uintptr_t)block == address;
  fhi_monitor_leave(&Monitor);
  return found;
}
