// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tsrm.c - TSRM's functions over the engine fh_globals_tsrm.
#include "globals.h"

#include "freehold/tsrm.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#undef ts_allocate_fast_id

#define TSRM (&fh_globals_tsrm)

static _Thread_local bool Main, Shut; // of the calling thread
// fhi_lists guards what follows.
static tsrm_thread_begin_func_t Begin;
static tsrm_thread_end_func_t End;
static tsrm_shutdown_func_t AtShutdown;
static struct functions *All;

// A resource's functions; kept until shutdown, as its destructor may be running when its id is freed.
struct functions {
  struct functions *next;
  ts_allocate_ctor ctor;
  ts_allocate_dtor dtor;
};

// ---- life ----
// What PHP gave us runs inside fhi_serial_enter and _leave.

static void begin(fh_globals_block_t *block) {
  fhi_monitor_enter(&fhi_lists);
  tsrm_thread_begin_func_t handler = Begin;
  fhi_monitor_leave(&fhi_lists);
  fhi_serial_enter();
  if (handler)
    handler((THREAD_T)block->thread);
  fhi_serial_leave();
}

static void end(fh_globals_block_t *block) {
  fhi_monitor_enter(&fhi_lists);
  tsrm_thread_end_func_t handler = End;
  fhi_monitor_leave(&fhi_lists);
  fhi_serial_enter();
  if (handler)
    handler((THREAD_T)block->thread);
  fhi_serial_leave();
}

bool tsrm_startup(int expected_threads, int expected_resources, int debug_level, const char *debug_filename) {
  (void)expected_threads, (void)expected_resources;
  tsrm_error_set(debug_level, debug_filename);
  Main = true;
  Shut = fh_globals_startup(TSRM) != 0;
  if (Shut)
    return false;
  fhi_enter(TSRM);
  fhi_engine(TSRM)->begin = begin;
  fhi_engine(TSRM)->end = end;
  fhi_leave(TSRM);
  return true;
}

void tsrm_shutdown(void) {
  if (Shut)
    return;
  if (!Main) {
    Shut = true;
    return;
  }
  int inside = fhi_serial_drop(), error = fh_globals_shutdown(TSRM);
  fhi_serial_again(inside);
  if (error != 0) // called by a constructor or destructor
    return;
  Shut = true;
  fhi_monitor_enter(&fhi_lists);
  tsrm_shutdown_func_t handler = AtShutdown;
  Begin = NULL;
  End = NULL;
  AtShutdown = NULL;
  while (All) {
    struct functions *next = All->next;
    free(All);
    All = next;
  }
  fhi_monitor_leave(&fhi_lists);
  if (handler)
    handler();
}

bool tsrm_is_main_thread(void) { return Main; }
bool tsrm_is_shutdown(void) { return Shut || __atomic_load_n(&fhi_engine(TSRM)->running, __ATOMIC_RELAXED) == FHI_STOPPED; }
bool tsrm_is_managed_thread(void) { return tsrm_get_ls_cache() != NULL; }

// ---- resources ----

static int construct(void *globals, void *argument) {
  const struct functions *functions = argument;
  fhi_serial_enter();
  if (functions->ctor)
    functions->ctor(globals);
  fhi_serial_leave();
  return 0;
}

static void destroy(void *globals, void *argument) {
  const struct functions *functions = argument;
  fhi_serial_enter();
  if (functions->dtor)
    functions->dtor(globals);
  fhi_serial_leave();
}

// TSRM's results have no room for a reason: fh_globals_error has it, and the log.
static void *refused(const char *what) {
  int error = fh_globals_error();
  tsrm_error(TSRM_ERROR_LEVEL_ERROR, "%s: %s", what, fh_globals_error_text(error));
  fhi_error(error);
  return NULL;
}

// What TSRMG_D defines; fhi_lists guards it, too.
static fh_tsrm_declared_t *Declared;

static void tell(const fh_tsrm_declared_t *globals, const char *what) {
  struct fhi_line line;
  fhi_line_start(&line);
  fhi_line_text(&line, "globals of ");
  fhi_line_text(&line, TSRM->name);
  fhi_line_text(&line, ": ");
  fhi_line_text(&line, globals->name);
  fhi_line_text(&line, what);
  fhi_line_write(&line);
}

// Threads have blocks without the place, and code is compiled to use it: that cannot go on.
static void too_late(const fh_tsrm_declared_t *globals) {
  tell(globals,
       " is declared by the program, and a library has given threads their globals before main: call tsrm_startup in main");
  abort();
}

void fh_tsrm_declare(fh_tsrm_declared_t *globals) {
  if (globals->offset) { // the reserve begins behind it
    fhi_enter(TSRM);
    if (fhi_engine(TSRM)->first)
      too_late(globals);
    size_t size = (globals->size + FH_GLOBALS_ALIGNMENT - 1) & ~(size_t)(FH_GLOBALS_ALIGNMENT - 1),
           at = (TSRM->reserve + FH_GLOBALS_ALIGNMENT - 1) & ~(size_t)(FH_GLOBALS_ALIGNMENT - 1);
    *globals->offset = (ptrdiff_t)at;
    TSRM->size += at + size - TSRM->reserve;
    TSRM->reserve = at + size;
    fhi_leave(TSRM);
  }
  fhi_monitor_enter(&fhi_lists);
  globals->next = Declared;
  Declared = globals;
  fhi_monitor_leave(&fhi_lists);
}

static void forget_pointer(const fh_tsrm_declared_t *globals) {
  struct fhi_engine *e = fhi_engine(TSRM);
  fhi_enter(TSRM);
  for (int i = 0; i < e->count; ++i)
    if (e->resources[i]->as.pointer == globals->pointer)
      e->resources[i]->as.pointer = NULL;
  fhi_leave(TSRM);
}

void fh_tsrm_undeclare(fh_tsrm_declared_t *globals) {
  fhi_monitor_enter(&fhi_lists);
  for (fh_tsrm_declared_t **at = &Declared; *at; at = &(*at)->next)
    if (*at == globals) {
      *at = globals->next;
      break;
    }
  fhi_monitor_leave(&fhi_lists);
  if (globals->pointer)
    forget_pointer(globals);
}

static const fh_tsrm_declared_t *declared(const ts_rsrc_id *id) {
  fhi_monitor_enter(&fhi_lists);
  const fh_tsrm_declared_t *found = Declared;
  while (found && found->id != id)
    found = found->next;
  fhi_monitor_leave(&fhi_lists);
  return found;
}

// Is the place that TSRMG_D made large enough?
static bool has_room(const fh_tsrm_declared_t *globals, size_t size) {
  if (globals->size == 0 || size <= globals->size)
    return true;
  tell(globals, " is registered with more bytes than the type has that TSRMG_D was given");
  return false;
}

static ts_rsrc_id register_declared(fh_globals_resource_t *resource, const fh_tsrm_declared_t *globals) {
  if (!has_room(globals, resource->size)) {
    *resource->id = 0;
    return fhi_error(FH_GLOBALS_ELAYOUT), 0;
  }
  resource->mode = globals->mode;
  resource->pointer = globals->pointer;
  // A thread-local variable lies at the same distance from the thread block, which is one too, in every thread.
  size_t offset = globals->offset ? (size_t)*globals->offset : 0;
  if (globals->globals && TSRM->native)
    offset = (size_t)((uintptr_t)globals->globals() - (uintptr_t)TSRM->native());
  return fhi_register_placed(TSRM, resource, offset);
}

static ts_rsrc_id allocate(fh_globals_resource_t *resource, ts_allocate_ctor ctor, ts_allocate_dtor dtor) {
  struct functions *functions = malloc(sizeof *functions);
  if (!functions) {
    if (resource->id)
      *resource->id = 0;
    if (resource->offset)
      *resource->offset = 0;
    fhi_error(FH_GLOBALS_ENOMEM);
    refused("ts_allocate_id");
    return 0;
  }
  functions->ctor = ctor;
  functions->dtor = dtor;
  resource->ctor = construct;
  resource->dtor = destroy;
  resource->argument = functions;
  int inside = fhi_serial_drop(); // a constructor that registers
  const fh_tsrm_declared_t *globals = resource->id ? declared(resource->id) : NULL;
  ts_rsrc_id made = globals ? register_declared(resource, globals) : fh_globals_register(TSRM, resource);
  fhi_serial_again(inside);
  if (!made) { // nobody has it any more
    refused("ts_allocate_id");
    free(functions);
    return 0;
  }
  fhi_monitor_enter(&fhi_lists);
  functions->next = All;
  All = functions;
  fhi_monitor_leave(&fhi_lists);
  return made;
}

ts_rsrc_id ts_allocate_id(ts_rsrc_id *id, size_t size, ts_allocate_ctor ctor, ts_allocate_dtor dtor) {
  return allocate(&(fh_globals_resource_t){.size = size, .id = id}, ctor, dtor);
}

ts_rsrc_id fh_tsrm_allocate(const char *name, ts_rsrc_id *id, size_t *offset, size_t size, ts_allocate_ctor ctor,
                            ts_allocate_dtor dtor) {
  // The macro gives the text of its argument: &executor_globals_offset.
  while (name && (*name == '&' || *name == '(' || *name == ' '))
    ++name;
  fh_globals_resource_t resource = {
      .name = name, .size = size, .id = id, .offset = (ptrdiff_t *)(void *)offset, .in_block = offset != NULL};
  return allocate(&resource, ctor, dtor);
}

// For code compiled against PHP's own header.
ts_rsrc_id ts_allocate_fast_id(ts_rsrc_id *id, size_t *offset, size_t size, ts_allocate_ctor ctor, ts_allocate_dtor dtor) {
  return fh_tsrm_allocate(NULL, id, offset, size, ctor, dtor);
}

void tsrm_reserve(size_t size) {
  struct fhi_engine *e = fhi_engine(TSRM);
  int inside = fhi_serial_drop();
  fhi_enter(TSRM);
  // What the layout has need not be in the reserve as well, but who calls this does not know of the layout.
  size_t need = TSRM->reserve + ((size + FH_GLOBALS_ALIGNMENT - 1) & ~(size_t)(FH_GLOBALS_ALIGNMENT - 1));
  if (fhi_running(TSRM) && !TSRM->native && !e->first && size < PTRDIFF_MAX / 2 && need > TSRM->size)
    TSRM->size = need;
  fhi_leave(TSRM);
  fhi_serial_again(inside);
}

void ts_free_id(ts_rsrc_id id) {
  int inside = fhi_serial_drop();
  fhi_enter(TSRM);
  struct fhi_resource *resource = fhi_running(TSRM) ? fhi_resource(TSRM, id) : NULL;
  // The caller's variables keep what they have: 0 would ask for the whole table, and name the block's head as the place.
  if (resource)
    resource->as.id = NULL, resource->as.offset = NULL;
  fhi_leave(TSRM);
  fh_globals_unregister(TSRM, id);
  fhi_serial_again(inside);
}

struct apply {
  void (*callback)(void *);
};

static int apply(void *globals, fh_globals_block_t *block, void *argument) {
  (void)block;
  ((const struct apply *)argument)->callback(globals);
  return 0;
}

void ts_apply_for_id(ts_rsrc_id id, void (*callback)(void *)) {
  if (!callback)
    return;
  int inside = fhi_serial_drop();
  fh_globals_for_each_resource(TSRM, id, apply, &(struct apply){callback});
  fhi_serial_again(inside);
}

// ---- threads ----

struct search {
  pthread_t thread;
  fh_globals_block_t *found;
};

static int is_of(fh_globals_block_t *block, void *argument) {
  struct search *search = argument;
  bool same = pthread_equal((pthread_t)block->thread, search->thread);
  if (same)
    search->found = block;
  return same;
}

void *ts_resource_ex(ts_rsrc_id id, THREAD_T *thread) {
  fh_globals_block_t *block;
  if (thread && !pthread_equal(*thread, pthread_self())) {
    struct search search = {*thread, NULL};
    int inside = fhi_serial_drop();
    fh_globals_for_each(TSRM, is_of, &search);
    fhi_serial_again(inside);
    block = search.found;
    if (!block)
      fhi_error(FH_GLOBALS_EINVAL);
  } else {
    // In mode gs the cache says nothing of %gs, which something else may have set.
    block = TSRM->mode == FH_GLOBALS_GS ? NULL : tsrm_get_ls_cache();
    if (!block)
      block = fh_globals_fetch(TSRM);
  }
  void *found = block && id != 0 ? fh_globals_get_from(TSRM, block, id) : block;
  return found ? found : refused("ts_resource_ex");
}

void ts_free_thread(void) {
  int inside = fhi_serial_drop();
  if (!Main)
    fh_globals_thread_exit(TSRM);
  fhi_serial_again(inside);
}

THREAD_T tsrm_thread_id(void) { return pthread_self(); }

#define SET_HANDLER(variable, handler)                                                                                           \
  fhi_monitor_enter(&fhi_lists);                                                                                                 \
  void *before = (void *)(uintptr_t)variable;                                                                                    \
  variable = handler;                                                                                                            \
  fhi_monitor_leave(&fhi_lists);                                                                                                 \
  return before
void *tsrm_set_new_thread_begin_handler(tsrm_thread_begin_func_t handler) { SET_HANDLER(Begin, handler); }
void *tsrm_set_new_thread_end_handler(tsrm_thread_end_func_t handler) { SET_HANDLER(End, handler); }
void *tsrm_set_shutdown_handler(tsrm_shutdown_func_t handler) { SET_HANDLER(AtShutdown, handler); }

// ---- thin ones ----

MUTEX_T tsrm_mutex_alloc(void) {
  pthread_mutex_t *mutex = malloc(sizeof *mutex);
  if (mutex)
    pthread_mutex_init(mutex, NULL);
  return mutex;
}

void tsrm_mutex_free(MUTEX_T mutex) {
  if (mutex)
    pthread_mutex_destroy(mutex);
  free(mutex);
}

int tsrm_mutex_lock(MUTEX_T mutex) { return mutex ? pthread_mutex_lock(mutex) : EINVAL; }
int tsrm_mutex_unlock(MUTEX_T mutex) { return mutex ? pthread_mutex_unlock(mutex) : EINVAL; }

static struct fhi_monitor Environment = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};
void tsrm_env_lock(void) { fhi_monitor_enter(&Environment); }
void tsrm_env_unlock(void) { fhi_monitor_leave(&Environment); }

int tsrm_sigmask(int how, const sigset_t *set, sigset_t *old) { return pthread_sigmask(how, set, old); }
const char *tsrm_api_name(void) { return "POSIX Threads"; }

static int Level;
static FILE *Log;

void tsrm_error_set(int level, const char *debug_filename) {
  FILE *log = debug_filename ? fopen(debug_filename, "a") : NULL;
  fhi_monitor_enter(&fhi_lists);
  if (Log)
    fclose(Log);
  Log = log;
  Level = level;
  fhi_monitor_leave(&fhi_lists);
}

int tsrm_error(int level, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fhi_monitor_enter(&fhi_lists);
  int written = 0;
  if (level <= Level) {
    FILE *to = Log ? Log : stderr;
    fprintf(to, "TSRM: ");
    written = vfprintf(to, format, arguments);
    fputc('\n', to);
    fflush(to);
  }
  fhi_monitor_leave(&fhi_lists);
  va_end(arguments);
  return written;
}
