/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * run.h - rows, threads and results: what the command line asks for.
 */
#ifndef ENGINE_RUN_H
#define ENGINE_RUN_H

#include "request.h"

typedef struct run_options {
  const char *script;
  const char **rows; /* none: all */
  size_t row_count;
  const char *expect;      /* a file, or NULL */
  const char *late_module; /* loaded while the threads run, or NULL */
  unsigned repeat, threads, limit_ms;
  bool list, memory;
} run_options;

int run_all(const run_options *o); /* the exit code */
int engine_main(int argc, char **argv);

#endif
