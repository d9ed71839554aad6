// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// no_memory.c - each allocation of an engine's life is made to fail in turn. What was asked for says so and has changed nothing,
// what is asked for again works, and each constructor has its destructor.
#include "freehold/tsrm.h"

#include "engine.h"

#include "threads.h"

#include <errno.h>
#include <stdlib.h>

FH_GLOBALS_DEFINE(test);
FH_RESOURCE_DEFINE(test, executor);
FH_RESOURCE_DEFINE(test, compiler);

// ---- the process's malloc: glibc's, but for one call ----

static long Left = -1; // until the call that fails
static bool Failed;

static bool fails(void) {
  if (__atomic_load_n(&Left, __ATOMIC_RELAXED) < 0 || __atomic_fetch_sub(&Left, 1, __ATOMIC_RELAXED) != 0)
    return false;
  errno = ENOMEM;
  return Failed = true;
}
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }
void *realloc(void *memory, size_t size) { return fails() ? NULL : __libc_realloc(memory, size); }
int posix_memalign(void **memory, size_t alignment, size_t size) {
  void *made = fails() ? NULL : __libc_memalign(alignment, size);
  if (made)
    *memory = made;
  return made ? 0 : ENOMEM;
}

// ---- the engine ----

static int Made, Destroyed;
static int make(void *globals, void *argument) {
  (void)argument;
  ((struct executor_globals *)globals)->self = globals;
  __atomic_add_fetch(&Made, 1, __ATOMIC_RELAXED);
  return 0;
}
static void destroy(void *globals, void *argument) {
  (void)argument;
  CHECK(((struct executor_globals *)globals)->self == globals);
  __atomic_add_fetch(&Destroyed, 1, __ATOMIC_RELAXED);
}

// Did it fail for want of memory? Then it is asked for again.
#define TWICE(done) ((done) || (CHECK(fh_globals_error() == FH_GLOBALS_ENOMEM), (done)))

static void *serve(void *unused) {
  CHECK(TWICE(fh_globals_thread_init(ENGINE)));
  fh_globals_block_t *own = fh_globals_self(ENGINE), *fiber = fh_globals_block_new(ENGINE);
  int error = fh_globals_error();
  CHECK(fiber || error == FH_GLOBALS_ENOMEM || error == FH_GLOBALS_ENOTSUP);
  CHECK(own && fh_globals_self(ENGINE) == own && fh_globals_block_free(ENGINE, fiber) == 0);
  FH_GLOBALS_FETCH(test);
  EG(depth) = 5;
  fh_globals_snapshot_t *snapshot = fh_globals_snapshot(ENGINE);
  CHECK(snapshot || fh_globals_error() == FH_GLOBALS_ENOMEM);
  EG(depth) = 6;
  CHECK(!snapshot || (fh_globals_reset(ENGINE, snapshot) == 0 && EG(depth) == 5));
  fh_globals_snapshot_free(snapshot);
  return unused;
}

static void engine(void) {
  Made = Destroyed = 0;
  CHECK(TWICE(fh_globals_startup(ENGINE) == 0) && TWICE(fh_globals_thread_init(ENGINE)));
  CHECK(TWICE(FH_RESOURCE_REGISTER(test, executor, sizeof(struct executor_globals), make, destroy)));
  CHECK(TWICE(FH_RESOURCE_REGISTER(test, compiler, sizeof(struct compiler_globals), NULL, NULL)));
  int last = 0;
  for (int i = 0; i < 40; ++i) { // more than tables and the reserve have room for
    int id;
    ptrdiff_t offset = 1;
    fh_globals_resource_t resource = {
        .size = sizeof(struct executor_globals), .ctor = make, .dtor = destroy, .id = &id, .offset = &offset};
    if (!fh_globals_register(ENGINE, &resource))
      CHECK(fh_globals_error() == FH_GLOBALS_ENOMEM && id == 0 && offset == 0);
    else
      CHECK(id > last && fh_globals_get(ENGINE, last = id));
  }
  pthread_t thread;
  if (pthread_create(&thread, NULL, serve, NULL) != 0)
    CHECK(pthread_create(&thread, NULL, serve, NULL) == 0);
  pthread_join(thread, NULL);
  CHECK(fh_globals_unregister(ENGINE, last) == 0 && fh_globals_shutdown(ENGINE) == 0 && Made == Destroyed);
}

static void tsrm(void) {
  ts_rsrc_id id = 9;
  size_t offset = 9;
  CHECK(tsrm_startup(1, 1, 0, NULL) || tsrm_startup(1, 1, 0, NULL));
  CHECK(ts_resource(0) || ts_resource(0));
  CHECK(ts_allocate_id(&id, 100, NULL, NULL) || (id == 0 && ts_allocate_id(&id, 100, NULL, NULL)));
  id = 9;
  CHECK(ts_allocate_fast_id(&id, &offset, 100, NULL, NULL) ||
        (id == 0 && offset == 0 && ts_allocate_fast_id(&id, &offset, 100, NULL, NULL)));
  CHECK(ts_resource(id) == (char *)tsrm_get_ls_cache() + offset);
  tsrm_mutex_free(tsrm_mutex_alloc());
  tsrm_shutdown();
}

int main(void) {
  long at = 0;
  do {
    Failed = false;
    Left = at++;
    engine();
    tsrm();
    Left = -1;
  } while (Failed);
  printf("%ld allocations failed in turn\n", at - 1);
  CHECK(at > 100);
  return 0;
}
