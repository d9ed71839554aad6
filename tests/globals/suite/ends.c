// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ends.c - order, and the ways in which a thread ends.
#include "suite.h"

#include <sys/syscall.h>

TSRMLS_MAIN_CACHE_EXTERN()

// ---- order ----

static void *says_it_ends(void *unused) {
  CHECK(ts_resource(0) && strcmp(Log, "AB") == 0);
  check_piece(AId, 0);
  check_piece(BId, 0);
  CHECK((char *)tsrm_get_ls_cache() + AOffset == ts_resource(AId));
  ts_free_thread();
  CHECK(strcmp(Log, "ABba") == 0);
  ts_free_thread();
  CHECK(strcmp(Log, "ABba") == 0);
  return unused;
}

void test_order(void) {
  start();
  in_thread(says_it_ends, NULL);
  CHECK(Made == 4 && Destroyed == 2);
  stop();
}

void test_order_at_shutdown(void) {
  start();
  stop();
  CHECK(strcmp(Log, "ABba") == 0);
}

static void begins(THREAD_T thread) {
  CHECK(pthread_equal(thread, pthread_self()) && strcmp(Log, "") == 0);
  note('<');
}
static void ready(THREAD_T thread) {
  CHECK(pthread_equal(thread, pthread_self()) && strcmp(Log, "<AB") == 0);
  note('>');
}
static int ShutDown;
static void shut_down(void) {
  CHECK(Made == Destroyed);
  ++ShutDown;
}
static void *is_handled(void *unused) {
  CHECK(ts_resource(0) && strcmp(Log, "<AB>") == 0);
  ts_free_thread();
  return unused;
}

void test_handlers(void) {
  start();
  CHECK(tsrm_set_new_thread_begin_handler(begins) == NULL && tsrm_set_new_thread_end_handler(ready) == NULL);
  CHECK(tsrm_set_shutdown_handler(shut_down) == NULL && tsrm_set_shutdown_handler(shut_down) == (void *)(uintptr_t)shut_down);
  in_thread(is_handled, NULL);
  stop();
  CHECK(ShutDown == 1);
}

// ---- without a word ----

static void *is_silent(void *unused) {
  CHECK(ts_resource(0));
  piece(AId)->value = piece(BId)->value = 7;
  return unused;
}

void test_silent_exit(void) {
  start();
  in_thread(is_silent, NULL);
  CHECK(Made == 4 && Destroyed == 2);
  stop();
}

void test_silent_exit_shutdown(void) {
  start();
  in_threads(6, is_silent);
  stop();
  CHECK(Made == 14);
}

static pthread_t Before;
static void *has_id(void *unused) {
  if (pthread_equal(Before, pthread_self())) {
    int destroyed = Destroyed;
    check_piece(AId, 0);
    check_piece(BId, 0);
    CHECK(Destroyed >= destroyed && Destroyed == 2);
  } else {
    is_silent(NULL);
  }
  Before = pthread_self();
  return unused;
}

void test_id_reuse(void) {
  start();
  in_thread(has_id, NULL);
  in_thread(has_id, NULL); // glibc and musl give the last thread's memory, and with it its id
  stop();
  CHECK(Made == 6);
}

static void *vanishes(void *unused) {
  is_silent(NULL);
  syscall(SYS_exit, 0);
  return unused;
}

static void *is_fresh(void *unused) {
  check_piece(AId, 0);
  check_piece(BId, 0);
  ts_free_thread();
  return unused;
}

void test_vanished(void) {
  start();
  for (int i = 0; i < 10; ++i) {
    in_thread(vanishes, NULL);
    in_thread(is_fresh, NULL);
  }
  tsrm_shutdown();
}

static pthread_key_t Key;
static int KeyDestroyed;
static void at_end(void *value) {
  check_piece(AId, 7);
  CHECK(ts_resource(BId) == value);
  ++KeyDestroyed;
}
static void *sets_key(void *unused) {
  is_silent(NULL);
  CHECK(pthread_setspecific(Key, ts_resource(BId)) == 0);
  return unused;
}

void test_key_destructors(void) {
  start();
  CHECK(pthread_key_create(&Key, at_end) == 0); // later than the manager's, if it has one
  in_thread(sets_key, NULL);
  CHECK(KeyDestroyed == 1);
  stop();
}

static void *looks_at_cache(void *unused) {
  CHECK(ts_resource(0) && tsrm_get_ls_cache() && TSRMLS_CACHE == tsrm_get_ls_cache());
  ts_free_thread();
  CHECK(tsrm_get_ls_cache() == NULL && TSRMLS_CACHE == NULL);
  return unused;
}

void test_cache_is_cleared(void) {
  start();
  in_thread(looks_at_cache, NULL);
  stop();
}
