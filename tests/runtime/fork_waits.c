// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fork_waits.c - a library whose fork handler, registered by its constructor, ends its threads and waits for them before a fork,
// as OpenBLAS's does. The threads end, free and allocate: none may wait for a lock that the fork holds meanwhile. Built twice:
// the library (LIBRARY), and a program linked with it.
#include "check.h"

#include <pthread.h>

int fork_waits_joined(void);

#ifdef LIBRARY
enum { Threads = 4 };
static pthread_t Workers[Threads];
static int Pipe[2], Joined;

static void *work(void *argument) {
  void *volatile block = malloc(100);
  char byte;
  free(block);
  CHECK(read(Pipe[0], &byte, 1) == 1);
  for (int i = 0; i < 100; ++i) {
    block = malloc((size_t)1 << i % 21);
    free(block);
  }
  return argument;
}

static void wait_for_workers(void) {
  CHECK(write(Pipe[1], "xxxx", Threads) == Threads);
  for (; Joined < Threads; ++Joined)
    CHECK(pthread_join(Workers[Joined], NULL) == 0);
}

__attribute__((constructor)) static void start(void) {
  CHECK(pthread_atfork(wait_for_workers, NULL, NULL) == 0 && pipe(Pipe) == 0);
  for (int i = 0; i < Threads; ++i)
    CHECK(pthread_create(&Workers[i], NULL, work, NULL) == 0);
}

int fork_waits_joined(void) { return Joined; }
#else
int main(void) {
  void *volatile block = malloc(10);
  int status;
  free(block);
  alarm(20);
  pid_t pid = fork();
  if (pid == 0)
    _exit(fork_waits_joined());
  CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 4);
  return 0;
}
#endif
