// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rfc.c [MODULE] - code of the old kind: the context as a parameter by macros, fetched where it is not given, globals declared by
// TSRMG_DH, _D and _ALLOCATE, registered before threads come and while they live. The same text in every mode.
#include "rfc.h"

#include "threads.h"

#include <dlfcn.h>

TSRMG_D(zend_counter_globals *, counter_globals_id);
TSRMG_DH(zend_counter_globals *, late_globals_id);
TSRMG_D(zend_counter_globals *, late_globals_id);
#define LATE_G(v) TSRMG(late_globals_id, zend_counter_globals *, v)
#define ALIAS_ID late_globals_id
ts_rsrc_id plain_id; // which no TSRMG_D defines
#define PLAIN_G(v) TSRMG(plain_id, zend_counter_globals *, v)

static int Made, Destroyed;
static void construct(void *globals) {
  zend_counter_globals *own = globals;
  own->calls = 10;
  own->self = own;
  __atomic_add_fetch(&Made, 1, __ATOMIC_RELAXED);
}
static void destroy(void *globals) {
  if (((zend_counter_globals *)globals)->self == globals)
    __atomic_add_fetch(&Destroyed, 1, __ATOMIC_RELAXED);
}

static long add(long n TSRMLS_DC) {
  COUNTER_G(calls) += n;
  return COUNTER_G(calls);
}

static long get(TSRMLS_D) { return COUNTER_G(calls); }

static long callback(void *context) {
  TSRMLS_FETCH_FROM_CTX(context);
  return add(1 TSRMLS_CC) + get(TSRMLS_C);
}

static void *run(void *unused) {
  TSRMLS_INIT();
  TSRMLS_FETCH();
  void *context = NULL;
  TSRMLS_SET_CTX(context);
  CHECK(get(TSRMLS_C) == 10);
  for (int i = 1; i <= 1000; ++i)
    CHECK(callback(context) == 2 * (10 + i));
  CHECK(TSRMG_BULK(counter_globals_id, zend_counter_globals *)->calls == 1010);
  // By name, by id and by the table of ids it is the same.
  CHECK(ts_resource(counter_globals_id) == (void *)&COUNTER_G(calls) && COUNTER_G(self) == (void *)&COUNTER_G(calls));
  CHECK(&TSRMG_STATIC(counter_globals_id, zend_counter_globals *, calls) == &COUNTER_G(calls));
  return unused;
}

// ---- threads that live while others register ----

enum { LIVE = 4 };
static pthread_barrier_t Step;
static long (*Call)(TSRMLS_D);

// Each step is two waits: the main thread registers between them.
static void *lives(void *unused) {
  TSRMLS_INIT();
  TSRMLS_FETCH();
  for (int i = 0; i < 2; ++i) {
    pthread_barrier_wait(&Step);
    pthread_barrier_wait(&Step); // late_globals_id is there now, the second time anew
    CHECK(LATE_G(calls) == 10 && LATE_G(self) == (void *)&LATE_G(calls));
    LATE_G(calls) = 20 + i;
    CHECK(&TSRMG(ALIAS_ID, zend_counter_globals *, calls) == &LATE_G(calls) && LATE_G(calls) == 20 + i);
    CHECK(ts_resource(late_globals_id) == LATE_G(self) && PLAIN_G(calls) == 10);
  }
  pthread_barrier_wait(&Step);
  pthread_barrier_wait(&Step); // the module is there, if there is one
  long before = get(TSRMLS_C);
  for (int i = 1; Call && i <= 100; ++i)
    CHECK(Call(TSRMLS_C) == (5 + i) * 1000 + before + i);
  pthread_barrier_wait(&Step);
  return unused;
}

static rfc_unload_t *load(const char *file) {
  void *module = dlopen(file, RTLD_NOW);
  if (!module)
    fprintf(stderr, "%s\n", dlerror());
  CHECK(module && ((rfc_load_t *)dlsym(module, "rfc_load"))() != 0);
  Call = (rfc_call_t *)dlsym(module, "rfc_call");
  return (rfc_unload_t *)dlsym(module, "rfc_unload");
}

static void live(const char *file) {
  pthread_t threads[LIVE];
  pthread_barrier_init(&Step, NULL, LIVE + 1);
  CHECK(ts_allocate_id(&plain_id, sizeof(zend_counter_globals), construct, NULL) > 0);
  for (int i = 0; i < LIVE; ++i)
    CHECK(pthread_create(&threads[i], NULL, lives, NULL) == 0);
  ts_rsrc_id first = 0;
  for (int i = 0; i < 2; ++i) {
    pthread_barrier_wait(&Step);
    if (i == 1)
      ts_free_id(late_globals_id); // and registered anew, in the other way
    ts_rsrc_id made = i == 0 ? TSRMG_ALLOCATE(late_globals_id, sizeof(zend_counter_globals), construct, destroy)
                             : ts_allocate_id(&late_globals_id, sizeof(zend_counter_globals), construct, destroy);
    CHECK(made > first && made == late_globals_id);
    first = made;
    // Registered it is: it stays.
    CHECK(TSRMG_ALLOCATE(late_globals_id, sizeof(zend_counter_globals), construct, destroy) == 0);
    CHECK(late_globals_id == made && fh_globals_error() == FH_GLOBALS_EINVAL);
    pthread_barrier_wait(&Step);
  }
  pthread_barrier_wait(&Step);
  rfc_unload_t *unload = file ? load(file) : NULL;
  pthread_barrier_wait(&Step);
  pthread_barrier_wait(&Step);
  for (int i = 0; i < LIVE; ++i)
    CHECK(pthread_join(threads[i], NULL) == 0);
  if (unload)
    unload();
  Call = NULL;
  pthread_barrier_destroy(&Step);
}

// ---- fibers: the pointers go with the block ----

static void fibers(void) {
  fh_globals_t *engine = &fh_globals_tsrm;
  fh_globals_block_t *other = fh_globals_block_new(engine), *own;
  CHECK(other || fh_globals_error() == FH_GLOBALS_ENOTSUP);
  if (!other)
    return;
  TSRMLS_FETCH();
  long calls = add(1 TSRMLS_CC);
  CHECK(fh_globals_switch(engine, other, &own) == 0);
  {
    TSRMLS_FETCH();
    CHECK(get(TSRMLS_C) == 10 && COUNTER_G(self) == (void *)&COUNTER_G(calls));
    add(5 TSRMLS_CC);
  }
  CHECK(fh_globals_switch(engine, own, NULL) == 0 && get(TSRMLS_C) == calls);
  CHECK(fh_globals_block_free(engine, other) == 0 && get(TSRMLS_C) == calls);
}

int main(int argc, char **argv) {
#ifdef PASS_TSRMLS
  CHECK(FH_GLOBALS_HAS_CONTEXT);
#else
  CHECK(!FH_GLOBALS_HAS_CONTEXT);
#endif
  for (int i = 0; i < 2; ++i) { // lives of the engine
    Made = Destroyed = 0;
    CHECK(tsrm_startup(1, 1, 0, NULL));
    CHECK(TSRMG_ALLOCATE(counter_globals_id, sizeof(zend_counter_globals), construct, NULL) == 1 && counter_globals_id == 1);
    in_threads(4, run);
    run(NULL);
    CHECK(Made == 5);
    live(argc > 1 ? argv[1] : NULL);
    fibers();
    tsrm_shutdown();
  }
  return 0;
}
