// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// second.c - a library with a resource manager of its own.
#include <stdbool.h>
#include <stddef.h>

#include TSRM_HEADER

TSRMLS_MAIN_CACHE_DEFINE()

static ts_rsrc_id Id;
static void construct(void *globals) { *(int *)globals = 1000; }

#define PUBLIC __attribute__((visibility("default")))
PUBLIC int second_start(void) { return tsrm_startup(1, 1, 0, NULL) && ts_resource(0) && ts_allocate_id(&Id, 4, construct, NULL); }
PUBLIC int second_call(void) { return ++*(int *)ts_resource(Id); }
PUBLIC void second_leave(void) { ts_free_thread(); }
PUBLIC void second_stop(void) { tsrm_shutdown(); }
