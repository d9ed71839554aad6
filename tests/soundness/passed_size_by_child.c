// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-45: a file's size is set by a forked child and asked for by a thread of its parent: ftruncate, fstat.
#include "passed.h"
#include <sys/wait.h>

static int file;

static int set(union word *w) {
  int status = 1;
  file = memfd_create("size", 0);
  volatile pid_t child = fork(); // volatile: else clang sees that a process which gives the address away never uses the block
  int refused = child == 0 ? ftruncate(file, w->number) : 0;
  if (child == 0)
    _exit(refused);
  return waitpid(child, &status, 0) == child && status == 0;
}

static void get(union word *w) {
  struct stat s = {.st_size = (off_t)w->number};
  EXPECT(fstat(file, &s) == 0);
  w->number = s.st_size;
}
