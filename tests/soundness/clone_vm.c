// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-29: clone() with shared memory.
//
// sanitizer: none
#include "soundness.h"
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

static int child(void *arg) {
  *(volatile int *)arg += 1;
  return 0;
}

int main(void) {
  static char stack[1 << 16] __attribute__((aligned(16)));
  int *block = calloc(1, sizeof *block); // not-local
  int pid = clone(child, stack + sizeof stack, CLONE_VM | SIGCHLD, block);
  EXPECT(pid > 0 && waitpid(pid, NULL, 0) == pid);
  EXPECT(*(volatile int *)block == 1);
  free(block);
  return 0;
}
