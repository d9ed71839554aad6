/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * globals.c - where the globals are, and their constructors.
 */
#include "globals.h"

#include <stdlib.h>

enum { STACK_BYTES = 4 << 20 };

static int construct_executor(void *globals, void *argument) {
  executor_globals *g = globals;
  (void)argument;
  g->errors = stderr;
  g->stack = malloc(STACK_BYTES);
  g->stack_end = g->stack + STACK_BYTES;
  return g->stack ? 0 : -1;
}

static void destroy_executor(void *globals, void *argument) {
  (void)argument;
  free(((executor_globals *)globals)->stack);
}

static void destroy_output(void *globals, void *argument) {
  (void)argument;
  free(((output_globals *)globals)->text);
}

#ifdef ENGINE_SINGLE
executor_globals engine_executor;
table_globals engine_tables;
compiler_globals engine_compiler;
lexer_globals engine_lexer;
allocator_globals engine_allocator;
output_globals engine_output;

bool engine_startup(void) { return true; }
void engine_shutdown(void) {}

bool engine_thread_begin(void) {
  engine_executor = (executor_globals){0};
  engine_output = (output_globals){0};
  return construct_executor(&engine_executor, NULL) == 0;
}

void engine_thread_end(void) {
  destroy_output(&engine_output, NULL);
  destroy_executor(&engine_executor, NULL);
}
#else
FH_GLOBALS_DEFINE(engine);
FH_RESOURCE_DEFINE(engine, executor);
FH_RESOURCE_DEFINE(engine, tables);
FH_RESOURCE_DEFINE(engine, compiler);
FH_RESOURCE_DEFINE(engine, lexer);
FH_RESOURCE_DEFINE(engine, allocator);
FH_RESOURCE_DEFINE(engine, output);

bool engine_startup(void) {
  return fh_globals_startup(&fh_globals_engine) == FH_GLOBALS_OK &&
         FH_RESOURCE_REGISTER(engine, executor, sizeof(executor_globals), construct_executor, destroy_executor) &&
         FH_RESOURCE_REGISTER(engine, allocator, sizeof(allocator_globals), NULL, NULL) &&
         FH_RESOURCE_REGISTER(engine, tables, sizeof(table_globals), NULL, NULL) &&
         FH_RESOURCE_REGISTER(engine, output, sizeof(output_globals), NULL, destroy_output) &&
         FH_RESOURCE_REGISTER(engine, lexer, sizeof(lexer_globals), NULL, NULL) &&
         FH_RESOURCE_REGISTER(engine, compiler, sizeof(compiler_globals), NULL, NULL);
}

void engine_shutdown(void) { fh_globals_shutdown(&fh_globals_engine); }
bool engine_thread_begin(void) { return fh_globals_thread_init(&fh_globals_engine) != NULL; }
void engine_thread_end(void) { fh_globals_thread_exit(&fh_globals_engine); }
#endif
