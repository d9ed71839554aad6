// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// errors.c - bad input: a result, never a crash.
#include "suite.h"

#include <sys/resource.h>

static void refuses_all(void) {
  ts_rsrc_id id = 77;
  size_t offset = 77;
  CHECK(ts_allocate_id(&id, 8, make_piece, NULL) == 0 && id == 0);
  id = 77;
  CHECK(ts_allocate_fast_id(&id, &offset, 8, NULL, NULL) == 0 && id == 0 && offset == 0);
  CHECK(ts_resource(0) == NULL && ts_resource(1) == NULL && tsrm_get_ls_cache() == NULL);
  ts_free_id(1);
}

void test_before_startup(void) {
  refuses_all();
  start();
  stop();
}

static void *asks_after(void *unused) {
  CHECK(ts_resource(0) == NULL && tsrm_get_ls_cache() == NULL);
  ts_free_thread();
  return unused;
}

void test_after_shutdown(void) {
  start();
  stop();
  refuses_all();
  in_thread(asks_after, NULL);
}

void test_size_0(void) {
  start();
  ts_rsrc_id id = 77, next;
  CHECK((ts_allocate_id(&id, 0, NULL, NULL) == 0) == (id == 0));
  CHECK(ts_allocate_id(&next, sizeof(struct piece), make_piece, destroy_piece) == (id ? id + 1 : 3));
  check_piece(next, 0);
  stop();
}

void test_unknown_ids(void) {
  start();
  CHECK(ts_resource(3) == NULL && ts_resource(99) == NULL && ts_resource(100000) == NULL && ts_resource(-1) == NULL);
  ts_free_id(0);
  ts_free_id(3);
  ts_free_id(100000);
  ts_free_id(-5);
  check_piece(AId, 0);
  check_piece(BId, 0);
  stop();
}

void test_no_memory(void) {
  start();
  ts_rsrc_id id = 77;
  CHECK(ts_allocate_id(&id, SIZE_MAX / 4 * 3, make_piece, NULL) == 0 && id == 0); // more than an object may have
  if (sizeof(size_t) == 8)
    CHECK(ts_allocate_id(&id, SIZE_MAX >> 18, make_piece, NULL) == 0 && id == 0); // than there are addresses
  CHECK(Made == 2);
  check_piece(AId, 0);
  CHECK(ts_allocate_id(&id, sizeof(struct piece), make_piece, destroy_piece) > 0);
  check_piece(id, 0);
  stop();
}

// Every block is too large for what is left; the registration came before.
static void *gets_nothing(void *unused) {
  struct rlimit before, none;
  CHECK(getrlimit(RLIMIT_AS, &before) == 0);
  none = before;
  none.rlim_cur = 1;
  CHECK(setrlimit(RLIMIT_AS, &none) == 0);
  void *got = ts_resource(0);
  CHECK(setrlimit(RLIMIT_AS, &before) == 0);
  CHECK(got == NULL && tsrm_get_ls_cache() == NULL);
  CHECK(ts_resource(0));
  check_piece(AId, 0);
  ts_free_thread();
  return unused;
}

void test_no_memory_for_thread(void) {
  start();
  ts_rsrc_id id;
  CHECK(ts_allocate_id(&id, (size_t)256 << 20, make_piece, destroy_piece) == 3);
  in_thread(gets_nothing, NULL);
  stop();
}

void test_main_thread_frees(void) {
  start();
  piece(AId)->value = 7;
  ts_free_thread();
  CHECK(Destroyed == 0 && tsrm_get_ls_cache());
  check_piece(AId, 7);
  stop();
}
