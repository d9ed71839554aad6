// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// registering.c - resources that come and go while threads have theirs.
#include "suite.h"

#include <sched.h>

#include <dlfcn.h>

static ts_rsrc_id CId;
static pthread_barrier_t Barrier;

static void *has_late_one(void *unused) {
  check_piece(AId, 0);
  pthread_barrier_wait(&Barrier);
  pthread_barrier_wait(&Barrier); // registered
  check_piece(CId, 0);
  piece(CId)->value = 5;
  check_piece(AId, 0);
  ts_free_thread();
  return unused;
}

void test_live_threads(void) {
  start();
  pthread_t threads[4];
  pthread_barrier_init(&Barrier, NULL, 5);
  for (int i = 0; i < 4; ++i)
    CHECK(pthread_create(&threads[i], NULL, has_late_one, NULL) == 0);
  pthread_barrier_wait(&Barrier);
  CHECK(ts_allocate_id(&CId, sizeof(struct piece), make_piece, destroy_piece) == 3 && Made == 15);
  pthread_barrier_wait(&Barrier);
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
  check_piece(CId, 0);
  stop();
}

static void *keeps_table(void *unused) {
  void **table = *(void ***)ts_resource(0);
  struct piece *own = table[BId - 1];
  pthread_barrier_wait(&Barrier);
  pthread_barrier_wait(&Barrier); // registered
  CHECK(table[BId - 1] == own && own->state == MADE);
  ts_free_thread();
  return unused;
}

void test_table_stays(void) {
  start();
  pthread_t thread;
  pthread_barrier_init(&Barrier, NULL, 2);
  CHECK(pthread_create(&thread, NULL, keeps_table, NULL) == 0);
  pthread_barrier_wait(&Barrier);
  for (int i = 0; i < 200; ++i)
    CHECK(ts_allocate_id(&CId, 8, NULL, NULL) == 3 + i);
  pthread_barrier_wait(&Barrier);
  pthread_join(thread, NULL);
  stop();
}

static atomic_int Stop;
static void *reads(void *unused) {
  for (long i = 0; !atomic_load(&Stop); ++i) {
    check_piece(AId, i);
    check_piece(BId, i);
    piece(AId)->value++;
    piece(BId)->value++;
  }
  ts_free_thread();
  return unused;
}

void test_readers(void) {
  start();
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    CHECK(pthread_create(&threads[i], NULL, reads, NULL) == 0);
  for (int i = 0; i < 500; ++i) {
    CHECK(ts_allocate_id(&CId, 8, NULL, NULL) > 0);
    usleep(200);
  }
  atomic_store(&Stop, 1);
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
  stop();
}

void test_twice(void) {
  start();
  ts_rsrc_id before = BId;
  piece(before)->value = 7;
  CHECK(ts_allocate_id(&BId, sizeof(struct piece), make_piece, destroy_piece) > before);
  check_piece(BId, 0);
  check_piece(before, 7);
  stop();
}

// ---- constructors ----

static ts_rsrc_id InnerId;
static void make_and_register(void *globals) {
  make_piece(globals);
  if (!InnerId)
    CHECK(ts_allocate_id(&InnerId, sizeof(struct piece), make_piece, destroy_piece) > 0);
}

void test_constructor_registers(void) {
  start();
  CHECK(ts_allocate_id(&CId, sizeof(struct piece), make_and_register, destroy_piece) > 0);
  check_piece(CId, 0);
  check_piece(InnerId, 0);
  stop();
}

static void *is_waited_for(void *unused) {
  check_piece(AId, 0);
  ts_free_thread();
  return unused;
}

// PHP's change what its threads share without atomics, and rely on that.
static atomic_int Inside;
static void alone(void) {
  CHECK(atomic_fetch_add(&Inside, 1) == 0);
  sched_yield();
  CHECK(atomic_fetch_sub(&Inside, 1) == 1);
}
static void make_alone(void *globals) { make_piece(globals), alone(); }
static void destroy_alone(void *globals) { destroy_piece(globals), alone(); }
static void *comes_and_goes(void *silent) {
  check_piece(CId, 0);
  if (!silent)
    ts_free_thread();
  return NULL;
}

void test_one_at_a_time(void) {
  start();
  CHECK(ts_allocate_id(&CId, sizeof(struct piece), make_alone, destroy_alone) > 0);
  for (int round = 0; round < 10; ++round)
    in_threads(16, comes_and_goes);
  stop();
}

// ---- places and ids ----

static void *starts_later(void *unused) {
  check_piece(AId, 0);
  check_piece(CId, 0);
  ts_free_thread();
  return unused;
}

void test_reserve(void) {
  start();
  ts_rsrc_id id = 0, last = BId;
  size_t offset = 0;
  for (int i = 0; i < 100000 && ts_allocate_fast_id(&id, &offset, 1024, NULL, NULL); ++i) {
    CHECK(id == last + 1 && offset != 0);
    last = id;
  }
  CHECK(id == 0 && offset == 0);
  CHECK(ts_allocate_id(&CId, sizeof(struct piece), make_piece, destroy_piece) == last + 1);
  in_thread(starts_later, NULL);
  stop();
}

static void *loses_one(void *unused) {
  CHECK(ts_resource(0));
  pthread_barrier_wait(&Barrier);
  pthread_barrier_wait(&Barrier); // freed
  CHECK(ts_resource(BId) == NULL);
  check_piece(AId, 0);
  ts_free_thread();
  return unused;
}

void test_free_id(void) {
  start();
  pthread_t thread;
  pthread_barrier_init(&Barrier, NULL, 2);
  CHECK(pthread_create(&thread, NULL, loses_one, NULL) == 0);
  pthread_barrier_wait(&Barrier);
  ts_free_id(BId);
  CHECK(Destroyed == 2 && ts_resource(BId) == NULL);
  ts_free_id(BId);
  CHECK(Destroyed == 2);
  pthread_barrier_wait(&Barrier);
  pthread_join(thread, NULL);
  CHECK(ts_allocate_id(&CId, sizeof(struct piece), make_piece, destroy_piece) == 3);
  in_thread(starts_later, NULL);
  stop();
}

// ---- a module ----

static int (*Call)(void);
static void *calls(void *unused) {
  for (int i = 1; i <= 100; ++i)
    CHECK(Call() == i);
  ts_free_thread();
  return unused;
}

void test_dlclose(void) {
  start();
  for (int life = 0; life < 3; ++life) {
    void *module = dlopen(Arguments[0], RTLD_NOW);
    if (!module)
      fprintf(stderr, "%s\n", dlerror());
    CHECK(module && ((int (*)(void))dlsym(module, "module_load"))());
    Call = (int (*)(void))dlsym(module, "module_call");
    in_threads(4, calls);
    CHECK(Call() == 1);
    ((void (*)(void))dlsym(module, "module_unload"))();
    CHECK(dlclose(module) == 0);
    in_threads(4, is_waited_for);
  }
  stop();
}
