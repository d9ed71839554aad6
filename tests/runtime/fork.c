// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fork.c - what a forked child finds: no lock held in the middle of a change, the memory of other threads' local heaps gone, what
// the forking thread had gathered for others still its own. Then 200 forks while four threads allocate; the child allocates
// blocks of both kinds, frees what it inherited, starts threads, forks again.
#include "heaps.h"

#include <pthread.h>

static _Atomic(int) Done;
static _Atomic(void *) Handed;

static void *allocate(void *argument) {
  unsigned state = (unsigned)(uintptr_t)argument;
  for (unsigned round = 0; !atomic_load(&Done); ++round) {
    if (round % 64 == 0)
      usleep(1000); // the forking thread needs a processor too
    void *local[64], *shared[64];
    for (int i = 0; i < 64; ++i) {
      state = state * 1664525u + 1013904223u;
      local[i] = fh_tls_malloc(state >> 8 & 4095);
      shared[i] = fhi_shared_malloc(state >> 12 & (i == 0 ? 1048575 : 4095));
    }
    fhi_free(atomic_exchange(&Handed, shared[0]));
    for (int i = 0; i < 64; ++i) {
      fhi_free(local[i]);
      if (i)
        fhi_free(shared[i]);
    }
  }
  return NULL;
}

static void *one_round(void *argument) {
  void *p = fh_tls_malloc(100), *q = fhi_shared_malloc(100);
  fill(p, 100, 1);
  fhi_free(q);
  fhi_free(p);
  return argument;
}

static void child(void *local, void *shared) {
  CHECK(filled(local, 300, 9) && filled(shared, 300, 8));
  fhi_free(local);
  fhi_free(shared);
  fhi_free(atomic_exchange(&Handed, NULL)); // a lost thread's block
  for (size_t size = 1; size < 3000000; size *= 5)
    fhi_free(fhi_realloc(FHI_SHARED, fh_tls_malloc(size), size * 2)), fhi_free(fhi_shared_malloc(size));
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, one_round, NULL) == 0);
  pthread_join(thread, NULL);
  pid_t again = fork();
  if (again == 0) {
    one_round(NULL);
    _exit(0);
  }
  int status;
  CHECK(waitpid(again, &status, 0) == again && status == 0);
  _exit(0);
}

static void in_child(void (*body)(void)) {
  pid_t pid = fork();
  if (pid == 0) {
    alarm(20);
    body();
    _exit(0);
  }
  int status;
  CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

// ---- fork() waits for who holds the global lock ----

static _Atomic(int) Held, LetGo;
static void *hold(void *argument) {
  fhi_lock();
  atomic_store(&Held, 1);
  usleep(100000);
  atomic_store(&Held, 2);
  fhi_unlock();
  while (!atomic_load(&LetGo))
    usleep(100);
  return argument;
}
static void not_held(void) {
  CHECK(atomic_load(&Held) == 2);
  fhi_free(fhi_shared_malloc(5000000));
}
static void lock_is_free(void) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, hold, NULL) == 0);
  while (atomic_load(&Held) == 0)
    usleep(100);
  in_child(not_held);
  atomic_store(&LetGo, 1);
  pthread_join(thread, NULL);
  atomic_store(&LetGo, 0);
  fhi_free(fhi_shared_malloc(5000000)); // the parent's lock is free too
}

// ---- other threads' local memory, and frees into what is left of their shared heaps ----

enum { Locals = 40000 };
static void *OthersShared[20000];
static _Atomic(int) Made;
static size_t MappedBefore;
static void *hold_memory(void *argument) {
  static unsigned char *locals[Locals];
  for (int i = 0; i < Locals; ++i)
    locals[i] = memset(fh_tls_malloc(1000), i, 1000);
  unsigned char *huge = memset(fh_tls_malloc(20000000), 1, 20000000);
  for (int i = 0; i < 20000; ++i)
    OthersShared[i] = fhi_shared_malloc(500);
  atomic_store(&Made, 1);
  while (!atomic_load(&LetGo))
    usleep(100);
  for (int i = 0; i < Locals; ++i)
    CHECK(locals[i][0] == (i & 255) && locals[i][999] == (i & 255));
  CHECK(huge[19999999] == 1);
  return argument;
}
static void memory_is_gone(void) {
  fprintf(stderr, "child of a process with %zu MB: %zu MB\n", MappedBefore >> 20, fhi_mapped_bytes() >> 20);
  CHECK(fhi_mapped_bytes() + (55u << 20) < MappedBefore);
#ifndef FREEHOLD_SANITIZED
  long before = resident();
  for (int i = 0; i < 20000; ++i)
    fhi_free(OthersShared[i]);
  for (int i = 0; i < 100000; ++i)
    fhi_free(fhi_shared_malloc(500));
  CHECK(resident() < before + (16 << 10));
#endif
}
static void locals_are_dropped(void) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, hold_memory, NULL) == 0);
  while (!atomic_load(&Made))
    usleep(100);
  MappedBefore = fhi_mapped_bytes();
  in_child(memory_is_gone);
  atomic_store(&LetGo, 1);
  pthread_join(thread, NULL);
  for (int i = 0; i < 20000; ++i)
    fhi_free(OthersShared[i]);
}

// ---- what the forking thread has freed of another's, and not handed over yet, is handed over in both processes ----

enum { Back = 30 };
static void *Mine[Back];
static void free_more(void) {
  for (int i = Back / 2; i < Back; ++i)
    fhi_free(Mine[i]);
}
static void *free_and_fork(void *argument) {
  fhi_free(fhi_shared_malloc(1));
  for (int i = 0; i < Back / 2; ++i)
    fhi_free(Mine[i]);
  in_child(free_more);
  free_more();
  return argument;
}
static void gathered_is_kept(void) {
  enum { Most = 4000 };
  static void *got[Most];
  pthread_t thread;
  for (int i = 0; i < Back; ++i)
    Mine[i] = fhi_shared_malloc(900);
  CHECK(pthread_create(&thread, NULL, free_and_fork, NULL) == 0);
  pthread_join(thread, NULL);
  for (int i = 0; i < 3000; ++i) // under guard others push them out of the quarantine
    fhi_free(fhi_shared_malloc(5000));
  int count = 0, found = 0;
  while (found < Back && count < Most) {
    void *p = got[count++] = fhi_shared_malloc(900);
    for (int i = 0; i < Back; ++i)
      found += Mine[i] == p;
  }
  CHECK(found == Back);
  while (count > 0)
    fhi_free(got[--count]);
}

int main(void) {
  pthread_t threads[4];
  heaps_start();
  fhi_free(fhi_shared_malloc(1));
  lock_is_free();
  locals_are_dropped();
  gathered_is_kept();
#ifdef FREEHOLD_SANITIZED
  enum { Forks = 20 };
#else
  enum { Forks = 200 };
#endif
  for (uintptr_t i = 0; i < 4; ++i)
    CHECK(pthread_create(&threads[i], NULL, allocate, (void *)(i + 1)) == 0);
  for (int i = 0; i < Forks; ++i) {
    void *local = fh_tls_malloc(300), *shared = fhi_shared_malloc(300);
    fill(local, 300, 9);
    fill(shared, 300, 8);
    alarm(60);
    pid_t pid = fork();
    if (pid == 0) {
      alarm(20);
      child(local, shared);
    }
    int status;
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    fhi_free(local);
    fhi_free(shared);
  }
  atomic_store(&Done, 1);
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
  return 0;
}
