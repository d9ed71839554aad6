/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * globals.h - how the engine reaches its global variables: six resources, each behind an accessor macro.
 *
 *   EG(x)  executor    the running frame, the stack of frames, the way out after an error
 *   TG(x)  tables      functions, classes, constants and global variables by name
 *   CG(x)  compiler    the function being compiled
 *   LG(x)  lexer       the place in the source
 *   AG(x)  allocator   the request's heap
 *   OG(x)  output      what the script has printed
 *
 * Their addresses are not taken, but for EG_ADDRESS: in mode gs one instruction is then enough for each.
 * Every instruction of the interpreter uses EG; every allocation uses AG. No other file of the engine knows in which mode it is
 * compiled.
 */
#ifndef ENGINE_GLOBALS_H
#define ENGINE_GLOBALS_H

#include "context.h"
#include "globals_types.h"

#ifdef ENGINE_SINGLE
/* Hidden: position-independent code then reaches them in one instruction, as any other does. */
#pragma GCC visibility push(hidden)
extern executor_globals engine_executor;
extern table_globals engine_tables;
extern compiler_globals engine_compiler;
extern lexer_globals engine_lexer;
extern allocator_globals engine_allocator;
extern output_globals engine_output;
#pragma GCC visibility pop
#define EG(x) (engine_executor.x)
#define EG_ADDRESS(x) (&engine_executor.x)
#define TG(x) (engine_tables.x)
#define CG(x) (engine_compiler.x)
#define LG(x) (engine_lexer.x)
#define AG(x) (engine_allocator.x)
#define OG(x) (engine_output.x)
#else
#include "engine_layout.h" /* generated from globals_types.h */
FH_GLOBALS_DECLARE(engine);
FH_RESOURCE_DECLARE(engine, executor);
FH_RESOURCE_DECLARE(engine, tables);
FH_RESOURCE_DECLARE(engine, compiler);
FH_RESOURCE_DECLARE(engine, lexer);
FH_RESOURCE_DECLARE(engine, allocator);
FH_RESOURCE_DECLARE(engine, output);
#define EG(x) FH_G_VALUE(engine, executor, executor_globals, x)
#define EG_ADDRESS(x) (&FH_G(engine, executor, executor_globals, x))
#define TG(x) FH_G_VALUE(engine, tables, table_globals, x)
#define CG(x) FH_G_VALUE(engine, compiler, compiler_globals, x)
#define LG(x) FH_G_VALUE(engine, lexer, lexer_globals, x)
#define AG(x) FH_G_VALUE(engine, allocator, allocator_globals, x)
#define OG(x) FH_G_VALUE(engine, output, output_globals, x)
#endif

/* A global that a signal handler or another thread may set. A volatile read, not __atomic_load: gcc computes the address of a
   thread-local object for that, three instructions in place of one. */
#ifdef ENGINE_TRACK /* under a sanitizer, which knows atomic reads only */
#define ENGINE_PEEK(place) __atomic_load_n(&(place), __ATOMIC_RELAXED)
#else
#define ENGINE_PEEK(place) (*(volatile __typeof__(place) *)&(place))
#endif

/* Once a process. False: no memory. */
bool engine_startup(void);
void engine_shutdown(void);
/* At the begin and the end of every thread that runs scripts, the first one too. */
bool engine_thread_begin(void);
void engine_thread_end(void);

#endif
