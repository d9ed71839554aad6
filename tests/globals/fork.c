// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fork.c - the child of a fork, made while other threads come, go and register, goes on with its own thread's globals, can
// register, start threads and shut down; nobody's destructors run twice.
#include "engine.h"

#include "../runtime/check.h"

#include <pthread.h>
#include <stdatomic.h>

FH_GLOBALS_DEFINE(test);
FH_RESOURCE_DEFINE(test, executor);
FH_RESOURCE_DEFINE(test, compiler);

static atomic_int Made, Destroyed, Stop;
static int make(void *globals, void *argument) {
  (void)argument;
  ((struct executor_globals *)globals)->self = globals;
  atomic_fetch_add(&Made, 1);
  return 0;
}
static void destroy(void *globals, void *argument) {
  (void)argument;
  CHECK(((struct executor_globals *)globals)->self == globals);
  atomic_fetch_add(&Destroyed, 1);
}

static void *come_and_go(void *unused) {
  while (!atomic_load(&Stop)) {
    CHECK(fh_globals_thread_init(ENGINE));
    FH_GLOBALS_FETCH(test);
    CHECK(EG(self) == (void *)&EG(depth));
    CHECK(fh_globals_thread_exit(ENGINE) == 0);
  }
  return unused;
}

static void *stay(void *unused) {
  CHECK(fh_globals_thread_init(ENGINE));
  while (!atomic_load(&Stop))
    usleep(1000);
  return unused;
}

static void *register_all_the_time(void *unused) {
  while (!atomic_load(&Stop)) {
    int id;
    CHECK(fh_globals_register_one(ENGINE, NULL, 5000, NULL, NULL, &id, NULL, NULL, 0, NULL) > 0); // too large for the reserve
    CHECK(fh_globals_unregister(ENGINE, id) == 0);
    usleep(100);
  }
  return unused;
}

static void *one_thread(void *unused) {
  CHECK(fh_globals_thread_init(ENGINE));
  FH_GLOBALS_FETCH(test);
  CHECK(EG(self) == (void *)&EG(depth));
  return unused;
}

static int count(fh_globals_block_t *block, void *argument) {
  CHECK(block == fh_globals_self(ENGINE));
  ++*(int *)argument;
  return 0;
}

static void child(FH_GLOBALS_D) {
  alarm(30);
  CHECK(EG(self) == (void *)&EG(depth) && EG(depth) == 7);
  int threads = 0, id;
  CHECK(fh_globals_for_each(ENGINE, count, &threads) == 0 && threads == 1);
  CHECK(fh_globals_register_one(ENGINE, NULL, 100, NULL, NULL, &id, NULL, NULL, 0, NULL) > 0 && fh_globals_get(ENGINE, id));
  Made = Destroyed = 0;
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, one_thread, NULL) == 0 && pthread_join(thread, NULL) == 0);
  CHECK(Made == 1 && Destroyed == 1);
  CHECK(fh_globals_shutdown(ENGINE) == 0 && Destroyed == 2);
  _exit(0);
}

int main(void) {
  CHECK(fh_globals_startup(ENGINE) == 0);
  CHECK(FH_RESOURCE_REGISTER(test, executor, sizeof(struct executor_globals), make, destroy) == 1);
  CHECK(FH_RESOURCE_REGISTER(test, compiler, sizeof(struct compiler_globals), NULL, NULL) == 2);
  CHECK(fh_globals_thread_init(ENGINE));
  FH_GLOBALS_FETCH(test);
  EG(depth) = 7;
  void *(*const Runs[])(void *) = {come_and_go, come_and_go, stay, register_all_the_time};
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    CHECK(pthread_create(&threads[i], NULL, Runs[i], NULL) == 0);
  for (int i = 0; i < FORKS; ++i) {
    pid_t pid = fork();
    if (pid == 0)
      child(FH_GLOBALS_C);
    int status;
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
  }
  atomic_store(&Stop, 1);
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
  CHECK(fh_globals_shutdown(ENGINE) == 0 && Made == Destroyed);
  return 0;
}
