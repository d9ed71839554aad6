/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * tsrm.h - the interface of PHP's thread-safe resource manager (versions 5, 7 and 8) over freehold/globals.h, in the mode that
 * the including file is compiled for (globals/mode.h). What is said there of threads, order and shutdown holds here too, but that
 * constructors, destructors and handlers run one at a time in all threads, as PHP's rely on: they must not wait for another
 * thread's. docs/globals.md says where this differs from PHP's own.
 *
 * The layout: define FREEHOLD_TSRM_LAYOUT, in every file alike, as the header that `freehold-layout --engine tsrm` made, and put
 * FH_TSRM_DEFINE(); in one file. A resource's name there is the word that is the first argument of TSRMG_FAST, such as
 * executor_globals_offset. Without FREEHOLD_TSRM_LAYOUT the library's own thread block is used, which is all reserve.
 *
 * The old interface, of which PHP 7 kept little: code that is written with TSRMLS_D, _DC, _C, _CC, TSRMLS_FETCH, TSRMG_DH,
 * TSRMG_D and TSRMG_ALLOCATE compiles in every mode. In modes passed and classic TSRMG and its kin need the parameter tsrm_ls in
 * scope, but for those with _STATIC in their name. What TSRMG_D defines is reached as its name, not through the table of ids, by
 * TSRMG and TSRMG_BULK in files that have its TSRMG_DH or TSRMG_D. These take the id by its name: a file that computes ids needs
 * -DFREEHOLD_TSRM_BY_ID=1, and reaches all through the table. g++ forgets such a name's symbol in a template that is in a
 * namespace, and the linker says so: there an ordinary function reaches it for the template.
 */
#ifndef FREEHOLD_TSRM_H
#define FREEHOLD_TSRM_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "freehold/globals.h"

#ifdef FREEHOLD_TSRM_LAYOUT
#include FREEHOLD_TSRM_LAYOUT
#endif

#define TSRM_API __attribute__((visibility("default")))
#define TSRM_TLS __thread
#define TSRM_ALIGNED_SIZE(size) (((size) + (size_t)15) & ~(size_t)15)
#define THREAD_T pthread_t
#define MUTEX_T pthread_mutex_t *
#define THREAD_HASH_OF(thread, size) ((unsigned long)(thread) % (unsigned long)(size))
/* An id of 0 asks for all of a thread, so ids begin with 1 and places in the table with 0. */
#define TSRM_SHUFFLE_RSRC_ID(id) ((id) + 1)
#define TSRM_UNSHUFFLE_RSRC_ID(id) ((id) - 1)
#define TSRM_ERROR_LEVEL_ERROR 1
#define TSRM_ERROR_LEVEL_CORE 2
#define TSRM_ERROR_LEVEL_INFO 3

typedef intptr_t tsrm_intptr_t;
typedef uintptr_t tsrm_uintptr_t;
typedef int ts_rsrc_id;
typedef void (*ts_allocate_ctor)(void *);
typedef void (*ts_allocate_dtor)(void *);
typedef void (*tsrm_thread_begin_func_t)(THREAD_T thread_id);
typedef void (*tsrm_thread_end_func_t)(THREAD_T thread_id);
typedef void (*tsrm_shutdown_func_t)(void);

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- Life ---- */
/* The calling thread becomes the main thread. The numbers are hints of old and do nothing. False: no memory, or %gs cannot be
 * had. */
bool tsrm_startup(int expected_threads, int expected_resources, int debug_level, const char *debug_filename);
/* The main thread: destroys every thread's resources (fh_globals_shutdown), then calls the shutdown handler. Another thread only
   notes it for itself. Called again it does nothing. */
void tsrm_shutdown(void);
bool tsrm_is_main_thread(void);
bool tsrm_is_shutdown(void);       /* to the calling thread's knowledge */
bool tsrm_is_managed_thread(void); /* does the calling thread have its resources? */

/* ---- Resources ---- */
/* Both return the id and write it to *rsrc_id before constructors run; 0 when it cannot be had: before startup, after shutdown,
   size 0, no memory, a layout that does not fit. fh_globals_error() has the reason, and the log of tsrm_error_set a line with it.
   A variable that is registered twice gets a new id. */
ts_rsrc_id ts_allocate_id(ts_rsrc_id *rsrc_id, size_t size, ts_allocate_ctor ctor, ts_allocate_dtor dtor);
/* In the thread block, *offset from what tsrm_get_ls_cache returns; 0 and 0 too when the reserve is used up. As a macro it knows
   the name of its second argument, and with it the place in the layout. */
ts_rsrc_id ts_allocate_fast_id(ts_rsrc_id *rsrc_id, size_t *offset, size_t size, ts_allocate_ctor ctor, ts_allocate_dtor dtor);
ts_rsrc_id fh_tsrm_allocate(const char *name, ts_rsrc_id *rsrc_id, size_t *offset, size_t size, ts_allocate_ctor ctor,
                            ts_allocate_dtor dtor);
#define ts_allocate_fast_id(id, offset, size, ctor, dtor) fh_tsrm_allocate(#offset, id, offset, size, ctor, dtor)
/* What TSRMG_D defines, made known before main, or when the library that has it is loaded; never by hand. It is a resource when
   its id is registered, by TSRMG_ALLOCATE or ts_allocate_id; once at a time: 0 while it is registered already, which it stays.
   Its pointers are set for all threads before the registration returns. */
typedef struct fh_tsrm_declared {
  ts_rsrc_id *id;
  const char *name;
  int mode;                /* as in fh_globals_resource_t */
  size_t size;             /* it has a place for so much; 0: it gets one when it is registered */
  void *(*globals)(void);  /* the place: the calling thread's */
  ptrdiff_t *offset;       /* the place: in the thread block; written by fh_tsrm_declare */
  void **(*pointer)(void); /* as in fh_globals_resource_t */
  struct fh_tsrm_declared *next;
} fh_tsrm_declared_t;
void fh_tsrm_declare(fh_tsrm_declared_t *globals);
void fh_tsrm_undeclare(fh_tsrm_declared_t *globals);
/* Makes the reserve at least that large, before the first thread has its resources. Not in mode static, whose block has the size
   it was built with. */
void tsrm_reserve(size_t size);
/* Destroys it for every thread. Called again, or with an unknown id, it does nothing. */
void ts_free_id(ts_rsrc_id id);
/* Calls cb for each thread's resource. */
void ts_apply_for_id(ts_rsrc_id id, void (*cb)(void *));

/* ---- Threads ---- */
/* The calling thread's resource (id 0: what tsrm_get_ls_cache returns); a thread without resources gets them. With th_id: that
   thread's, NULL if it has none. NULL: unknown id, after shutdown, no memory; the reason is where ts_allocate_id's is. */
void *ts_resource_ex(ts_rsrc_id id, THREAD_T *th_id);
#define ts_resource(id) ts_resource_ex(id, NULL)
/* Destroys the calling thread's resources, but not the main thread's. A thread that ends without it does it by itself. */
void ts_free_thread(void);
/* The calling thread's block, whose first word is its table of resources. NULL: it has none. Async-signal-safe. */
void *tsrm_get_ls_cache(void);
/* Where _tsrm_ls_cache is from the thread pointer; 0: not at a constant place. */
size_t tsrm_get_ls_cache_tcb_offset(void);
THREAD_T tsrm_thread_id(void);
/* Called on a thread that gets its resources, before the first constructor and after the last; on the main thread after the last
   destructor of all. They return the handler before. tsrm_shutdown forgets them. */
void *tsrm_set_new_thread_begin_handler(tsrm_thread_begin_func_t handler);
void *tsrm_set_new_thread_end_handler(tsrm_thread_end_func_t handler);
void *tsrm_set_shutdown_handler(tsrm_shutdown_func_t handler);

/* ---- Thin ones ---- */
MUTEX_T tsrm_mutex_alloc(void); /* NULL: no memory */
void tsrm_mutex_free(MUTEX_T mutex);
int tsrm_mutex_lock(MUTEX_T mutex); /* 0: done; NULL is EINVAL */
int tsrm_mutex_unlock(MUTEX_T mutex);
void tsrm_env_lock(void);
void tsrm_env_unlock(void);
int tsrm_sigmask(int how, const sigset_t *set, sigset_t *old);
const char *tsrm_api_name(void);
/* Messages up to that level go to the file, NULL: to standard error. */
void tsrm_error_set(int level, const char *debug_filename);
int tsrm_error(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#include "freehold/globals/tsrm_access.h"
#endif
