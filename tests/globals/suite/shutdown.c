// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// shutdown.c - shutdown, with threads that are alive; forks; two managers in one process.
#include "suite.h"

#include <dlfcn.h>

static pthread_barrier_t Barrier;

// ---- live threads ----

static void *holds(void *frees) {
  struct piece *a = piece(AId), *b = piece(BId);
  a->value = b->value = 7;
  pthread_barrier_wait(&Barrier);
  pthread_barrier_wait(&Barrier); // shut down
  if (frees) {
    ts_free_thread();
    CHECK(ts_resource(0) == NULL && ts_resource(BId) == NULL && tsrm_get_ls_cache() == NULL);
  } else {
    CHECK(a->state == DESTROYED && a->value == 7 && b->state == DESTROYED && b->value == 7);
  }
  return NULL;
}

static void shut_down_with(void *frees, bool goes_on) {
  start();
  pthread_t threads[4];
  pthread_barrier_init(&Barrier, NULL, 5);
  for (int i = 0; i < 4; ++i)
    CHECK(pthread_create(&threads[i], NULL, holds, frees) == 0);
  pthread_barrier_wait(&Barrier);
  stop();
  CHECK(Made == 10);
  if (!goes_on)
    return;
  pthread_barrier_wait(&Barrier);
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
  CHECK(Destroyed == 10);
}

void test_shutdown_live(void) { shut_down_with(NULL, false); }
void test_shutdown_live_memory(void) { shut_down_with(NULL, true); }
void test_shutdown_live_free(void) { shut_down_with(&Barrier, true); }

static void *shuts_down(void *unused) {
  tsrm_shutdown(); // to its own knowledge
  CHECK(tsrm_is_shutdown());
  return unused;
}

void test_shutdown_again(void) {
  for (int life = 0; life < 3; ++life) {
    start();
    in_thread(shuts_down, NULL);
    CHECK(!tsrm_is_shutdown() && Destroyed == 0);
    check_piece(AId, 0);
    stop();
    CHECK(tsrm_is_shutdown());
    tsrm_shutdown();
    CHECK(Destroyed == 2);
  }
}

// ---- fork ----

static void *goes_on(void *unused) {
  check_piece(AId, 0);
  ts_free_thread();
  return unused;
}

static void fork_and_go_on(void) {
  pid_t pid = fork();
  if (pid == 0) {
    alarm(5);
    check_piece(AId, 3);
    int made = Made;
    in_thread(goes_on, NULL);
    CHECK(Made == made + 2);
    tsrm_shutdown();
    _exit(0);
  }
  int status;
  CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
}

static void *stays(void *unused) {
  CHECK(ts_resource(0));
  pthread_barrier_wait(&Barrier);
  pthread_barrier_wait(&Barrier);
  ts_free_thread();
  return unused;
}

static void fork_beside(void *(*run)(void *)) {
  piece(AId)->value = 3;
  pthread_t thread;
  pthread_barrier_init(&Barrier, NULL, 2);
  CHECK(pthread_create(&thread, NULL, run, NULL) == 0);
  pthread_barrier_wait(&Barrier);
  fork_and_go_on();
  pthread_barrier_wait(&Barrier);
  pthread_join(thread, NULL);
}

void test_fork_goes_on(void) {
  start();
  fork_beside(stays);
  stop();
}

static _Thread_local bool Slow;
static void make_slowly(void *globals) {
  make_piece(globals);
  if (Slow) {
    pthread_barrier_wait(&Barrier);
    pthread_barrier_wait(&Barrier);
  }
}
static void *starts_slowly(void *unused) {
  Slow = true;
  CHECK(ts_resource(0));
  ts_free_thread();
  return unused;
}

void test_fork_while_starting(void) {
  start();
  ts_rsrc_id id;
  CHECK(ts_allocate_id(&id, sizeof(struct piece), make_slowly, destroy_piece) == 3);
  piece(AId)->value = 3;
  pthread_t thread;
  pthread_barrier_init(&Barrier, NULL, 2);
  CHECK(pthread_create(&thread, NULL, starts_slowly, NULL) == 0);
  pthread_barrier_wait(&Barrier);
  pid_t pid = fork();
  if (pid == 0) {
    alarm(5);
    check_piece(AId, 3);
    in_thread(goes_on, NULL);
    _exit(0);
  }
  int status;
  CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
  pthread_barrier_wait(&Barrier);
  pthread_join(thread, NULL);
  CHECK(status == 0);
  stop();
}

// ---- two ----

static int (*SecondCall)(void);
static void (*SecondLeave)(void);
static void *uses_both(void *unused) {
  for (int i = 1; i <= 100; ++i) {
    CHECK(SecondCall() == 1000 + i);
    CHECK(++piece(AId)->value == i);
  }
  ts_free_thread();
  CHECK(SecondCall() == 1101);
  SecondLeave();
  return unused;
}

void test_two_engines(void) {
  start();
  void *second = dlopen(Arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (!second)
    fprintf(stderr, "%s\n", dlerror());
  CHECK(second);
  if (((int (*)(void))dlsym(second, "second_start"))()) {
    SecondCall = (int (*)(void))dlsym(second, "second_call");
    SecondLeave = (void (*)(void))dlsym(second, "second_leave");
    in_threads(4, uses_both);
    CHECK(SecondCall() == 1001);
    ((void (*)(void))dlsym(second, "second_stop"))();
  }
  check_piece(AId, 0);
  check_piece(BId, 0);
  stop();
  CHECK(strcmp(Log, "ABba") == 0);
}
