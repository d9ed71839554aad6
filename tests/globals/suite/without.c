// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// without.c - threads that have no resources, and what others see of them.
#include "suite.h"

static void *has_nothing(void *parents) {
  CHECK(tsrm_get_ls_cache() == NULL);
  ts_free_thread();
  CHECK(((struct piece *)parents)->value == 7 && Destroyed == 0);
  check_piece(BId, 0);
  CHECK(ts_resource(BId) != parents);
  ts_free_thread();
  CHECK(((struct piece *)parents)->value == 7 && ((struct piece *)parents)->state == MADE);
  return NULL;
}
static void *has_child(void *unused) {
  check_piece(BId, 0);
  piece(BId)->value = 7;
  in_thread(has_nothing, ts_resource(BId));
  check_piece(BId, 7);
  ts_free_thread();
  return unused;
}

void test_unregistered_child(void) {
  start();
  in_thread(has_child, NULL);
  stop();
}

static pthread_barrier_t Barrier;
static void *outlives(void *unused) {
  pthread_barrier_wait(&Barrier); // its parent has ended, and a third thread may have the parent's memory
  CHECK(tsrm_get_ls_cache() == NULL);
  check_piece(AId, 0);
  check_piece(BId, 0);
  ts_free_thread();
  return unused;
}
static void *ends_first(void *child) {
  CHECK(ts_resource(0));
  piece(AId)->value = 7;
  CHECK(pthread_create(child, NULL, outlives, NULL) == 0);
  ts_free_thread();
  return NULL;
}
static void *comes_between(void *unused) {
  check_piece(AId, 0);
  ts_free_thread();
  return unused;
}

void test_parent_ends_first(void) {
  start();
  pthread_t child;
  pthread_barrier_init(&Barrier, NULL, 2);
  in_thread(ends_first, &child);
  in_thread(comes_between, NULL);
  pthread_barrier_wait(&Barrier);
  CHECK(pthread_join(child, NULL) == 0);
  stop();
  CHECK(Made == 8);
}

static void *never_initialises(void *unused) {
  ts_free_thread();
  CHECK(tsrm_get_ls_cache() == NULL && !tsrm_is_main_thread() && !tsrm_is_shutdown());
  tsrm_env_lock();
  tsrm_env_unlock();
  return unused;
}

void test_never_initialised(void) {
  start();
  in_threads(4, never_initialises);
  check_piece(AId, 0);
  stop();
  CHECK(Made == 2);
}

// ---- another thread's ----

static void *waits_twice(void *initialises) {
  if (initialises) {
    CHECK(ts_resource(0));
    piece(BId)->value = 7;
  }
  pthread_barrier_wait(&Barrier);
  pthread_barrier_wait(&Barrier);
  if (initialises)
    ts_free_thread();
  return NULL;
}
static void *begin_waiting(pthread_t *thread, void *initialises) {
  pthread_barrier_init(&Barrier, NULL, 2);
  CHECK(pthread_create(thread, NULL, waits_twice, initialises) == 0);
  pthread_barrier_wait(&Barrier);
  return tsrm_get_ls_cache();
}

void test_other_threads_resource(void) {
  start();
  pthread_t thread;
  void *own = begin_waiting(&thread, &Barrier);
  struct piece *found = ts_resource_ex(BId, &thread);
  CHECK(found && found->state == MADE && found->value == 7 && tsrm_get_ls_cache() == own);
  check_piece(BId, 0);
  pthread_barrier_wait(&Barrier);
  pthread_join(thread, NULL);
  stop();
}

void test_other_thread_without(void) {
  start();
  pthread_t thread;
  void *own = begin_waiting(&thread, NULL);
  piece(BId)->value = 3;
  CHECK(ts_resource_ex(BId, &thread) == NULL && tsrm_get_ls_cache() == own);
  check_piece(BId, 3);
  pthread_barrier_wait(&Barrier);
  pthread_join(thread, NULL);
  stop();
}

static void *volatile Seen;
static void look(int number) {
  (void)number;
  Seen = tsrm_get_ls_cache();
}
static void *signals_itself(void *initialises) {
  void *own = initialises ? ts_resource(0) : NULL;
  Seen = &Barrier;
  pthread_kill(pthread_self(), SIGUSR1);
  CHECK(Seen == own);
  if (own)
    ts_free_thread();
  return NULL;
}

void test_signal_handler(void) {
  start();
  CHECK(signal(SIGUSR1, look) != SIG_ERR);
  in_thread(signals_itself, &Barrier);
  in_thread(signals_itself, NULL);
  stop();
}
