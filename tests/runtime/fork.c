// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fork.c - 200 forks while four threads allocate; the child allocates blocks of both kinds, frees what it inherited, starts
// threads, forks again.
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

int main(void) {
  pthread_t threads[4];
  heaps_start();
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
