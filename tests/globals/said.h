// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// said.h - what a test's process says on standard error.
#ifndef TESTS_GLOBALS_SAID_H
#define TESTS_GLOBALS_SAID_H

#include "../runtime/check.h"

#include <fcntl.h>

struct said {
  int saved, ends[2];
  char text[2000];
};

static inline void said_begin(struct said *said) {
  CHECK(pipe2(said->ends, O_NONBLOCK) == 0);
  said->saved = dup(2);
  CHECK(said->saved >= 0 && dup2(said->ends[1], 2) == 2);
}

// Exactly that, "" for nothing.
static inline void said_end(struct said *said, const char *expected) {
  dup2(said->saved, 2);
  ssize_t got = read(said->ends[0], said->text, sizeof said->text - 1);
  said->text[got > 0 ? got : 0] = '\0';
  close(said->ends[0]), close(said->ends[1]), close(said->saved);
  if (strcmp(said->text, expected) != 0)
    fprintf(stderr, "expected '%s', got '%s'\n", expected, said->text);
  CHECK(strcmp(said->text, expected) == 0);
}

#endif
