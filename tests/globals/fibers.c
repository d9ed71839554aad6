// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fibers.c - blocks that are no thread's, switched to and fro, by two threads; snapshots and resets; statistics.
#include "engine.h"

#include "threads.h"

#include <pthread.h>

FH_GLOBALS_DEFINE(test);
FH_RESOURCE_DEFINE(test, executor);
FH_RESOURCE_DEFINE(test, compiler);

static int Made, Destroyed;
static int make(void *globals, void *argument) {
  (void)argument;
  ++Made;
  ((struct executor_globals *)globals)->depth = 1;
  return 0;
}
static void destroy(void *globals, void *argument) {
  (void)globals, (void)argument;
  ++Destroyed;
}

__attribute__((noinline)) static long depth(long set) {
  FH_GLOBALS_FETCH(test);
  if (set)
    FH_G_VALUE(test, executor, struct executor_globals, depth) = set;
  CHECK(FH_G_VALUE(test, executor, struct executor_globals, depth) == EG(depth));
  return EG(depth);
}

static void *other_thread(void *block) {
  CHECK(fh_globals_self(ENGINE) == NULL && fh_globals_switch(ENGINE, block, NULL) == 0 && depth(0) == 20);
  CHECK(fh_globals_switch(ENGINE, NULL, NULL) == 0 && fh_globals_self(ENGINE) == NULL);
  return NULL;
}

static void *try_other(void *block) {
  CHECK(fh_globals_switch(ENGINE, block, NULL) == FH_GLOBALS_EBUSY);
  return NULL;
}

static void fibers(fh_globals_block_t *own) {
  fh_globals_block_t *fiber = fh_globals_block_new(ENGINE), *previous;
  if (FH_GLOBALS_MODE == FH_GLOBALS_STATIC) {
    CHECK(!fiber && fh_globals_error() == FH_GLOBALS_ENOTSUP);
    return;
  }
  CHECK(fiber && fiber != own && Made == 2 && fh_globals_self(ENGINE) == own);
  depth(10);
  CHECK(fh_globals_switch(ENGINE, fiber, &previous) == 0 && previous == own && fh_globals_self(ENGINE) == fiber);
  CHECK(depth(0) == 1 && depth(20) == 20);
  in_thread(try_other, fiber);
  CHECK(fh_globals_block_free(ENGINE, fiber) == FH_GLOBALS_EBUSY);
  CHECK(fh_globals_switch(ENGINE, own, &previous) == 0 && previous == fiber && depth(0) == 10);
  in_thread(other_thread, fiber);
  CHECK(Destroyed == 0);
  CHECK(fh_globals_block_free(ENGINE, fiber) == 0 && Destroyed == 1 && depth(0) == 10);
  CHECK(fh_globals_block_new(ENGINE) != NULL); // shutdown finds it
}

// A base is kept from where it says so, not from before, and is not found again by the next scope.
static void keep(fh_globals_block_t *own) {
  fh_globals_block_t *fiber = fh_globals_block_new(ENGINE);
  for (int i = 0; fiber && i < 4; ++i) {
    CHECK(fh_globals_switch(ENGINE, i % 2 ? own : fiber, NULL) == 0);
    FH_GLOBALS_FETCH(test);
    FH_GLOBALS_KEEP(test);
    EG(depth) = 30 + i;
    CHECK(depth(0) == 30 + i && (char *)&EG(depth) == (char *)(i % 2 ? own : fiber) + FH_LAYOUT_test_executor);
  }
  CHECK(!fiber || fh_globals_block_free(ENGINE, fiber) == 0);
}

static void snapshots(FH_GLOBALS_D) {
  EG(depth) = 5;
  EG(numbers)[99] = 6;
  fh_globals_snapshot_t *snapshot = fh_globals_snapshot(ENGINE);
  CHECK(snapshot);
  EG(depth) = 7;
  EG(numbers)[99] = 8;
  CHECK(fh_globals_reset(ENGINE, snapshot) == 0 && EG(depth) == 5 && EG(numbers)[99] == 6);
  fh_globals_thread_exit(ENGINE);
  CHECK(fh_globals_reset(ENGINE, snapshot) == FH_GLOBALS_EINVAL);
  CHECK(fh_globals_thread_init(ENGINE) && fh_globals_reset(ENGINE, snapshot) == FH_GLOBALS_EINVAL);
  fh_globals_snapshot_free(snapshot);
}

int main(void) {
  CHECK(fh_globals_startup(ENGINE) == 0);
  CHECK(FH_RESOURCE_REGISTER(test, executor, sizeof(struct executor_globals), make, destroy) == 1);
  CHECK(FH_RESOURCE_REGISTER(test, compiler, sizeof(struct compiler_globals), NULL, NULL) == 2);
  fh_globals_block_t *own = fh_globals_thread_init(ENGINE);
  CHECK(own);
  fibers(own);
  keep(own);
  FH_GLOBALS_FETCH(test);
  snapshots(FH_GLOBALS_C);
  fh_globals_stats_t stats;
  CHECK(fh_globals_stats(ENGINE, &stats, sizeof stats) == 0 && stats.resources == 2 &&
        stats.started - stats.ended == stats.threads);
  CHECK(stats.block_bytes == FH_LAYOUT_test_SIZE && stats.threads == (FH_GLOBALS_MODE == FH_GLOBALS_STATIC ? 1 : 2));
  fh_globals_resource_info_t info = {0};
  CHECK(fh_globals_next_resource(ENGINE, 0, &info) && info.id == 1 && info.threads == stats.threads);
  CHECK(strcmp(info.name, "executor") == 0 && info.offset == FH_LAYOUT_test_executor);
  CHECK(fh_globals_next_resource(ENGINE, 1, &info) && info.id == 2 && !fh_globals_next_resource(ENGINE, 2, &info));
  CHECK(fh_globals_shutdown(ENGINE) == 0 && Made == Destroyed);
  return 0;
}
