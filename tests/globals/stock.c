// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stock.c - an extension as a compiler made it of PHP's own headers: it knows names and places, and nothing of Freehold. Its
// cache is its own thread-local variable, which the program's may stand before.
#include <stddef.h>

extern void *tsrm_get_ls_cache(void);
extern int ts_allocate_id(int *id, size_t size, void (*ctor)(void *), void (*dtor)(void *));
extern int ts_allocate_fast_id(int *id, size_t *offset, size_t size, void (*ctor)(void *), void (*dtor)(void *));
extern void ts_free_id(int id);
extern size_t executor_globals_offset;
__attribute__((tls_model("initial-exec"))) __thread void *_tsrm_ls_cache = NULL;

static int Id, FastId;
static size_t FastOffset;
struct globals {
  long calls;
  void *depth;
};

static void construct(void *globals) {
  _tsrm_ls_cache = tsrm_get_ls_cache();
  ((struct globals *)globals)->calls = 100;
}

int stock_load(void) {
  return ts_allocate_id(&Id, sizeof(struct globals), construct, NULL) &&
         ts_allocate_fast_id(&FastId, &FastOffset, sizeof(struct globals), construct, NULL);
}
void stock_unload(void) {
  ts_free_id(FastId);
  ts_free_id(Id);
}

// Through the table, through the cache, and into the engine's own by its run-time offset.
long stock_call(void) {
  _tsrm_ls_cache = tsrm_get_ls_cache();
  struct globals *own = (*(void ***)_tsrm_ls_cache)[Id - 1];
  struct globals *fast = (void *)((char *)tsrm_get_ls_cache() + FastOffset);
  own->depth = (char *)_tsrm_ls_cache + executor_globals_offset;
  *(long *)own->depth += 1;
  return ++own->calls + ++fast->calls;
}
