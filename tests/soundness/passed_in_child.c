// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: a limit is set before a fork and asked for by a thread of the child, which has inherited it with the block.
#define OWN_MAIN
#include "passed.h"
#include <sys/resource.h>
#include <sys/wait.h>

static int set(union word *w) {
  struct rlimit limit = {w->number, RLIM_INFINITY};
  return setrlimit(RLIMIT_RSS, &limit) == 0;
}

static void get(union word *w) {
  struct rlimit limit = {w->number, 0};
  EXPECT(getrlimit(RLIMIT_RSS, &limit) == 0);
  w->number = limit.rlim_cur;
}

int main(void) {
  int status = 1;
  struct node *block = pass();
  EXPECT(block);
  pid_t child = fork();
  if (child == 0) {
    on_thread(take, NULL);
    EXPECT(block->n == 1 && block->next->n == 2);
    free(block->next);
    free(block);
    _exit(0);
  }
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
  free(block);
  return 0;
}
