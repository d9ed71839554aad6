// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// access.c - a thread finds its own record, and only its own, as long as it runs any code at all: among many live threads, where
// thread ids come again, in every round of its key destructors, and in a forked child.
#include "heaps.h"

#include <pthread.h>

#ifdef FREEHOLD_SANITIZED
enum { Crowd = 100, Generations = 200 };
#else
enum { Crowd = 700, Generations = 2000 }; // more than the first table of the table model takes
#endif

static pthread_key_t Key;

// What the thread had while it was well, told to its destructors.
struct witness {
  struct fhi_self *self;
  struct fhi_heap *local, *shared;
  int round;
};

static struct witness look(void) {
  void *local = fhi_local_malloc(40), *shared = fhi_shared_malloc(40);
  CHECK(local && shared);
  fhi_free(local);
  fhi_free(shared);
  struct witness seen = {fhi_self(), fhi_self()->local, fhi_self()->shared, 0};
  CHECK(seen.self != &fhi_no_self && seen.local != &fhi_no_heap && seen.shared != &fhi_no_heap);
  return seen;
}

static void destroy(void *value) {
  struct witness *well = value, now = look();
  CHECK(now.self == well->self && now.local == well->local && now.shared == well->shared);
  if (++well->round < LAST_ROUND)
    pthread_setspecific(Key, well);
}

static pthread_barrier_t AllThere;

static void *in_a_crowd(void *slot) {
  CHECK(fhi_self()->thread == NULL); // nobody else's, though ids and records are used again
  struct witness mine = look();
  CHECK(mine.self->thread->tid == fhi_os_tid());
  void *block = fhi_local_malloc(1000);
  pthread_barrier_wait(&AllThere);
  CHECK(fhi_self() == mine.self && fhi_self()->local == mine.local);
  *(struct fhi_self **)slot = mine.self;
  pthread_barrier_wait(&AllThere);
  fhi_free(block);
  return NULL;
}

static void test_crowd(void) {
  static struct fhi_self *seen[Crowd];
  static pthread_t threads[Crowd];
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 * 1024);
  pthread_barrier_init(&AllThere, NULL, Crowd);
  for (int i = 0; i < Crowd; ++i)
    CHECK(pthread_create(&threads[i], &small, in_a_crowd, &seen[i]) == 0);
  for (int i = 0; i < Crowd; ++i)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < Crowd; ++i)
    for (int j = 0; j < i; ++j)
      CHECK(seen[i] != seen[j]);
}

static void *generation(void *well) {
  CHECK(fhi_self()->thread == NULL);
  *(struct witness *)well = look();
  pthread_setspecific(Key, well);
  return NULL;
}

// One after the other: the C library gives the same id again, and the heap the same record.
static void test_generations(void) {
  static struct witness well;
  for (int i = 0; i < Generations; ++i) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, generation, &well) == 0);
    pthread_join(thread, NULL);
    CHECK(well.round == LAST_ROUND);
  }
}

static void *hold(void *argument) {
  look();
  pthread_barrier_wait(&AllThere);
  pthread_barrier_wait(&AllThere);
  return argument;
}

// A child has one thread: ids of those that stayed behind may come again in it, and must not lead to their records.
static void test_fork(void) {
  enum { Others = 20 };
  pthread_t threads[Others];
  struct witness mine = look();
  pthread_barrier_init(&AllThere, NULL, Others + 1);
  for (int i = 0; i < Others; ++i)
    pthread_create(&threads[i], NULL, hold, NULL);
  pthread_barrier_wait(&AllThere);
  pid_t child = fork();
  if (child == 0) {
    CHECK(fhi_self() == mine.self && fhi_self()->local == mine.local);
    static struct witness well;
    for (int i = 0; i < Others; ++i) {
      CHECK(pthread_create(&threads[i], NULL, generation, &well) == 0);
      pthread_join(threads[i], NULL);
    }
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  pthread_barrier_wait(&AllThere);
  for (int i = 0; i < Others; ++i)
    pthread_join(threads[i], NULL);
}

int main(void) {
  heaps_start();
  pthread_key_create(&Key, destroy);
  test_generations();
  test_crowd();
  test_generations();
#ifndef FREEHOLD_SANITIZED
  test_fork();
#endif
  return 0;
}
