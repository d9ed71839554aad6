// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-34: a fork handler runs on the thread that forks.
#include "soundness.h"
#include <sys/wait.h>
#include <unistd.h>

static int *count;

static void before(void) { *count += 1; }

static void *forker(void *arg) {
  int pid = fork();
  if (pid == 0)
    _exit(0);
  waitpid(pid, NULL, 0);
  return NULL;
}

int main(void) {
  count = calloc(1, sizeof *count); // shared: FH101
  pthread_atfork(before, NULL, NULL);
  on_thread(forker, NULL);
  EXPECT(*count == 1);
  free(count);
  return 0;
}
