// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tsrm_types.h - two resources of an engine like PHP, from which the layout is generated.
#ifndef TESTS_GLOBALS_TSRM_TYPES_H
#define TESTS_GLOBALS_TSRM_TYPES_H

struct executor_globals {
  long depth;
  void *self;
  char more[1000];
};
struct compiler_globals {
  long line;
};

#endif
