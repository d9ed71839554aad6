// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// module.c - a module that registers when it is loaded and frees its id when it goes.
#include TSRM_HEADER

#include <stddef.h>

struct module_globals {
  int calls;
};
static ts_rsrc_id Id;

static void construct(void *globals) { ((struct module_globals *)globals)->calls = 0; }
static void destroy(void *globals) { ((struct module_globals *)globals)->calls = -1; }

#define PUBLIC __attribute__((visibility("default")))
PUBLIC int module_load(void) { return ts_allocate_id(&Id, sizeof(struct module_globals), construct, destroy); }
PUBLIC int module_call(void) { return ++((struct module_globals *)ts_resource(Id))->calls; }
PUBLIC void module_unload(void) { ts_free_id(Id); }
