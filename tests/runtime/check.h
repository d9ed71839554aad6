// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// check.h - what every run-time test needs: CHECK stops the test with file, line and expression; STOPS runs a statement in a
// child and expects it to abort with a line that contains a text.
#ifndef FREEHOLD_TESTS_CHECK_H
#define FREEHOLD_TESTS_CHECK_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(x) ((x) ? (void)0 : (fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #x), _exit(1)))

static inline int stops_with(int pipe_end, pid_t child, const char *text) {
  char said[4096];
  size_t length = 0;
  ssize_t got;
  int status;
  while (length < sizeof said - 1 && (got = read(pipe_end, said + length, sizeof said - 1 - length)) > 0)
    length += (size_t)got;
  said[length] = '\0';
  close(pipe_end);
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && strstr(said, text))
    return 1;
  fprintf(stderr, "expected \"%s\", got status %x and \"%s\"\n", text, status, said);
  return 0;
}

#define STOPS(statement, text)                                                                                                   \
  do {                                                                                                                           \
    int ends_[2];                                                                                                                \
    CHECK(pipe(ends_) == 0);                                                                                                     \
    pid_t child_ = fork();                                                                                                       \
    if (child_ == 0) {                                                                                                           \
      dup2(ends_[1], 2);                                                                                                         \
      statement;                                                                                                                 \
      _exit(0);                                                                                                                  \
    }                                                                                                                            \
    close(ends_[1]);                                                                                                             \
    CHECK(stops_with(ends_[0], child_, text));                                                                                   \
  } while (0)

#endif
