/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * globals.c - where the globals are, and their constructors.
 */
#include "globals.h"

#include <stdlib.h>

#include "output.h"

enum { STACK_BYTES = 4 << 20 };

executor_globals engine_executor;
table_globals engine_tables;
compiler_globals engine_compiler;
lexer_globals engine_lexer;
allocator_globals engine_allocator;
output_globals engine_output;

static int construct_executor(executor_globals *g) {
  *g = (executor_globals){.errors = stderr};
  g->stack = malloc(STACK_BYTES);
  g->stack_end = g->stack + STACK_BYTES;
  return g->stack ? 0 : -1;
}

static void destroy_executor(executor_globals *g) { free(g->stack); }
static void destroy_output(output_globals *g) { free(g->text); }

bool engine_startup(void) { return true; }
void engine_shutdown(void) {}
bool engine_thread_begin(void) { return construct_executor(&engine_executor) == 0; }

void engine_thread_end(void) {
  destroy_executor(&engine_executor);
  destroy_output(&engine_output);
  engine_output = (output_globals){0};
}
