// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tsrm.c - TSRM's interface as PHP 7 and 8 use it: fast ids by token, ids, handlers, threads with and without a word at the end,
// all errors. With a layout and, TSRM_NO_LAYOUT, without one.
#include "freehold/tsrm.h"

#include "tsrm_types.h"

#include "threads.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>

#ifdef TSRM_LAYOUT
FH_TSRM_DEFINE();
#endif
#if FH_GLOBALS_HAS_CONTEXT
#define FAST TSRMG_FAST_STATIC
#define BY_ID TSRMG_STATIC
#else
#define FAST TSRMG_FAST
#define BY_ID TSRMG
#endif

ts_rsrc_id executor_globals_id, compiler_globals_id, module_globals_id;
size_t executor_globals_offset, compiler_globals_offset, late_offset;
#define EG(v) FAST(executor_globals_offset, struct executor_globals *, v)
#define CG(v) FAST(compiler_globals_offset, struct compiler_globals *, v)
#define MG(v) BY_ID(module_globals_id, struct module_globals *, v)
struct module_globals {
  long calls;
  char name[20];
};

static int Made, Destroyed, Begun, Ended, ShutDown, Order;

static void make_executor(void *globals) {
  struct executor_globals *eg = globals;
  CHECK(executor_globals_id == 1 && tsrm_get_ls_cache() != NULL);
  CHECK(eg == (void *)((char *)tsrm_get_ls_cache() + executor_globals_offset) || Order == 1);
  eg->self = eg;
  eg->depth = 3;
  __atomic_add_fetch(&Made, 1, __ATOMIC_RELAXED);
}
static void destroy_executor(void *globals) {
  CHECK(((struct executor_globals *)globals)->self == globals);
  __atomic_add_fetch(&Destroyed, 1, __ATOMIC_RELAXED);
}
static void make_module(void *globals) { ((struct module_globals *)globals)->calls = 1; }
static void begun(THREAD_T thread) {
  CHECK(pthread_equal(thread, tsrm_thread_id()));
  __atomic_add_fetch(&Begun, 1, __ATOMIC_RELAXED);
}
static void ended(THREAD_T thread) {
  CHECK(pthread_equal(thread, tsrm_thread_id()) && EG(depth) == 3);
  __atomic_add_fetch(&Ended, 1, __ATOMIC_RELAXED);
}
static void shut_down(void) { ++ShutDown; }

static void *run(void *word) {
  CHECK(tsrm_get_ls_cache() == NULL && !tsrm_is_managed_thread() && !tsrm_is_main_thread() && !tsrm_is_shutdown());
  ts_free_thread(); // has nothing
  char *entry = ts_resource(0);
  CHECK(entry && entry == tsrm_get_ls_cache() && tsrm_is_managed_thread() && entry == ts_resource(0));
  CHECK(EG(self) == ts_resource(executor_globals_id) && (char *)&EG(depth) == entry + executor_globals_offset);
  CHECK((*(void ***)entry)[executor_globals_id - 1] == EG(self) &&
        (*(void ***)entry)[module_globals_id - 1] == (void *)&MG(calls));
  for (int i = 0; i < 1000; ++i)
    EG(depth)++, CG(line) += 2, MG(calls)++;
  CHECK(EG(depth) == 1003 && CG(line) == 2000 && MG(calls) == 1001);
  CHECK(ts_resource(99) == NULL && ts_resource(-1) == NULL);
  if (word) {
    ts_free_thread();
    CHECK(tsrm_get_ls_cache() == NULL);
    ts_free_thread();
  }
  return NULL;
}

static void count(void *globals) { *(long *)globals += 100; }

static void life(void) {
  CHECK(tsrm_startup(1, 1, 0, NULL) && tsrm_is_main_thread() && !tsrm_is_shutdown());
  tsrm_reserve(TSRM_ALIGNED_SIZE(sizeof(struct executor_globals)) + TSRM_ALIGNED_SIZE(sizeof(struct compiler_globals)));
  CHECK(tsrm_set_new_thread_begin_handler(begun) == NULL && tsrm_set_new_thread_end_handler(ended) == NULL);
  CHECK(tsrm_set_shutdown_handler(shut_down) == NULL && tsrm_set_shutdown_handler(shut_down) == (void *)(uintptr_t)shut_down);
  tsrm_set_new_thread_end_handler(NULL);
  CHECK(ts_resource(0) != NULL && Begun == 1); // as PHP: the main thread's entry before any id
  tsrm_set_new_thread_end_handler(ended);
  CHECK(ts_allocate_fast_id(&executor_globals_id, &executor_globals_offset, sizeof(struct executor_globals), make_executor,
                            destroy_executor) == 1);
  CHECK(ts_allocate_fast_id(&compiler_globals_id, &compiler_globals_offset, sizeof(struct compiler_globals), NULL, NULL) == 2);
  CHECK(ts_allocate_id(&module_globals_id, sizeof(struct module_globals), make_module, NULL) == 3 && module_globals_id == 3);
  CHECK(Made == 1 && EG(depth) == 3 && MG(calls) == 1);
#ifdef TSRM_LAYOUT
  CHECK(executor_globals_offset == FH_LAYOUT_tsrm_executor_globals_offset);
#endif
  in_threads(8, run);
  CHECK(Made == 9 && Destroyed == 8 && Begun == 9 && Ended == 8);
  ts_apply_for_id(module_globals_id, count);
  CHECK(MG(calls) == 101);
  ts_free_thread(); // not the main thread's
  CHECK(MG(calls) == 101);
}

static void *another_thread(void *unused) {
  tsrm_shutdown(); // for itself
  CHECK(tsrm_is_shutdown());
  return unused;
}

// What fails leaves no memory behind.
static void fails_often(void) {
  ts_rsrc_id id;
  struct mallinfo2 before = mallinfo2();
  for (int i = 0; i < 1000; ++i)
    CHECK(ts_allocate_id(&id, 0, make_module, NULL) == 0);
  CHECK(mallinfo2().uordblks < before.uordblks + 4096);
}

// The log tells the reason, as fh_globals_error does.
static void is_told(void) {
  char file[] = "/tmp/freehold-tsrm.XXXXXX", said[400] = "";
  int log = mkstemp(file);
  tsrm_error_set(TSRM_ERROR_LEVEL_ERROR, file);
  ts_rsrc_id id;
  CHECK(ts_allocate_id(&id, 0, NULL, NULL) == 0 && fh_globals_error() == FH_GLOBALS_EINVAL);
  CHECK(ts_resource(99) == NULL && fh_globals_error() == FH_GLOBALS_EINVAL);
  tsrm_error_set(0, NULL);
  CHECK(ts_resource(99) == NULL);
  CHECK(read(log, said, sizeof said - 1) > 0);
  CHECK(strcmp(said, "TSRM: ts_allocate_id: invalid argument\nTSRM: ts_resource_ex: invalid argument\n") == 0);
  close(log);
  unlink(file);
}

static void errors(void) {
  fails_often();
  is_told();
  ts_rsrc_id id = 77;
  size_t offset = 77;
  CHECK(ts_allocate_id(&id, 0, NULL, NULL) == 0 && id == 0);
  CHECK(ts_allocate_fast_id(&id, &offset, (size_t)1 << 40, NULL, NULL) == 0 && id == 0 && offset == 0);
  CHECK(ts_allocate_id(&id, SIZE_MAX, NULL, NULL) == 0 && id == 0);
  ts_rsrc_id before = module_globals_id; // twice the same variable: a new id
  CHECK(ts_allocate_id(&module_globals_id, sizeof(struct module_globals), make_module, NULL) > before && MG(calls) == 1);
  ts_free_id(before);
  ts_free_id(before);
  ts_free_id(0);
  ts_free_id(12345);
  CHECK(ts_resource(before) == NULL && MG(calls) == 1);
  CHECK(tsrm_mutex_lock(NULL) == EINVAL);
  MUTEX_T mutex = tsrm_mutex_alloc();
  CHECK(mutex && tsrm_mutex_lock(mutex) == 0 && tsrm_mutex_unlock(mutex) == 0);
  tsrm_mutex_free(mutex);
  tsrm_mutex_free(NULL);
#ifdef TSRM_LAYOUT // a line says which, and both sizes
  size_t place = executor_globals_offset;
  CHECK(ts_allocate_fast_id(&id, &executor_globals_offset, sizeof(struct executor_globals) + 16, NULL, NULL) == 0);
  CHECK(id == 0 && executor_globals_offset == 0 && fh_globals_error() == FH_GLOBALS_ELAYOUT);
  executor_globals_offset = place;
#endif
  tsrm_env_lock();
  tsrm_env_unlock();
  sigset_t none;
  sigemptyset(&none);
  CHECK(tsrm_sigmask(SIG_BLOCK, &none, NULL) == 0 && strcmp(tsrm_api_name(), "POSIX Threads") == 0);
  in_thread(another_thread, NULL);
  CHECK(!tsrm_is_shutdown());
  CHECK(ts_resource_ex(module_globals_id, &(THREAD_T){pthread_self()}) == (void *)&MG(calls));
}

int main(void) {
  ts_rsrc_id id = 5;
  CHECK(ts_allocate_id(&id, 8, NULL, NULL) == 0 && id == 0 && ts_resource(0) == NULL && ts_resource(1) == NULL);
  ts_free_id(1);
  ts_free_thread();
  for (int i = 0; i < 2; ++i) {
    Made = Destroyed = Begun = Ended = ShutDown = 0;
    life();
    errors();
    tsrm_shutdown();
    CHECK(ShutDown == 1 && Destroyed == 9 && tsrm_is_shutdown() && tsrm_get_ls_cache() == NULL);
    tsrm_shutdown();
    CHECK(ShutDown == 1 && ts_allocate_id(&id, 8, NULL, NULL) == 0 && ts_resource(0) == NULL && ts_resource(1) == NULL);
    ts_free_id(1);
    ts_free_thread();
  }
  return 0;
}
