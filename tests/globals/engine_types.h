// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// engine_types.h - what the layout is generated from.
#ifndef TESTS_GLOBALS_ENGINE_TYPES_H
#define TESTS_GLOBALS_ENGINE_TYPES_H

struct executor_globals {
  long depth;
  int numbers[100];
  void *self;
};
struct compiler_globals {
  char name[24];
  long line;
};

#endif
