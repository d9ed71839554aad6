// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// launch - runs one program and writes what it cost. Its own, because a process inherits the peak memory of the one that forked
// it: measured from an interpreter, every small program would seem as big as the interpreter.
// usage: launch FD [-t MB] NAME=VALUE... -- PROGRAM ARGS...   writes "wall user system peak_kb status" to the descriptor FD
// -t: before that another process touches so many megabytes and ends. A hypervisor gives a guest its pages at their first use:
// who runs after a big process would else have cheap ones, and who runs first would pay for all.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec * 1e-6; }

static void touch(long megabytes) {
  int status;
  pid_t child = fork();
  if (child == 0) {
    size_t size = (size_t)megabytes << 20;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) {
      madvise(memory, size, MADV_HUGEPAGE);
      for (size_t at = 0; at < size; at += 4096)
        ((volatile char *)memory)[at] = 1;
    }
    _exit(0);
  }
  waitpid(child, &status, 0);
}

int main(int argc, char **argv) {
  int first = 2, status;
  struct rusage used;
  struct timespec before, after;
  while (first < argc && strcmp(argv[first], "--") != 0)
    first++;
  if (argc < 4 || first + 1 >= argc)
    return 2;
  int environment = 2;
  if (strcmp(argv[2], "-t") == 0 && first >= 4) {
    touch(atol(argv[3]));
    environment = 4;
  }
  clock_gettime(CLOCK_MONOTONIC, &before);
  pid_t child = fork();
  if (child < 0)
    return 4;
  if (child == 0) {
    close(atoi(argv[1]));
    for (int i = environment; i < first; i++)
      putenv(argv[i]);
    execvp(argv[first + 1], argv + first + 1);
    perror(argv[first + 1]);
    _exit(127);
  }
  if (wait4(child, &status, 0, &used) != child)
    return 4;
  clock_gettime(CLOCK_MONOTONIC, &after);
  double wall = (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) * 1e-9;
  int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  dprintf(atoi(argv[1]), "%.6f %.6f %.6f %ld %d\n", wall, seconds(used.ru_utime), seconds(used.ru_stime), used.ru_maxrss, code);
  return 0;
}
