/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * globals.h - the engine's global variables: six resources, each a structure, each behind an accessor macro.
 *
 *   EG(x)  executor    the running frame, the stack of frames, the way out after an error
 *   TG(x)  tables      functions, classes, constants and global variables by name
 *   CG(x)  compiler    the function being compiled
 *   LG(x)  lexer       the place in the source
 *   AG(x)  allocator   the request's heap
 *   OG(x)  output      what the script has printed
 *
 * They are ordered by heat. Every instruction of the interpreter uses EG; every allocation uses AG.
 */
#ifndef ENGINE_GLOBALS_H
#define ENGINE_GLOBALS_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "context.h"
#include "freehold/heap.h"

typedef struct value value;
typedef struct str str;
typedef struct hash hash;
typedef struct object object;
typedef struct class class;
typedef struct op op;
typedef struct function function;
typedef struct frame frame;
typedef struct node node;

typedef struct executor_globals {
  frame *frame;      /* of the function that runs */
  op *op;            /* the instruction that runs: errors name its line */
  bool interrupt;    /* set by another thread or a signal: stop at the next jump back or call */
  bool failed;       /* the request ended with an error */
  char *stack_top;   /* frames are pushed here */
  char *stack_end;   /* and not beyond */
  char *stack;       /* allocated once a thread */
  jmp_buf *bailout;  /* where an error goes */
  FILE *errors;      /* where its message goes */
  uint64_t requests; /* served by this thread */
} executor_globals;

typedef struct table_globals {
  hash *functions; /* of function; the built-in ones too */
  hash *classes;   /* of class */
  hash *constants; /* of value */
  hash *symbols;   /* global variables, of value */
} table_globals;

typedef struct compiler_globals {
  struct unit *unit;     /* the function being compiled */
  class *class;          /* the class around it, or NULL */
  struct arena *arena;   /* the syntax tree, freed after compiling */
  const char *row;       /* compile only the `row` block of this name; NULL: all */
  struct row_list *rows; /* if not NULL: names are put here */
} compiler_globals;

typedef struct lexer_globals {
  const char *cursor, *end;
  const char *file;
  const char *text; /* of the present token */
  size_t length;
  int64_t integer;
  double real;
  uint32_t line;
  int token;
} lexer_globals;

typedef struct allocator_globals {
  fh_heap_t *heap; /* this thread's local heap */
  fh_mark_t mark;  /* the request's begin */
#ifdef ENGINE_TRACK
  struct block *blocks; /* in place of both */
#endif
} allocator_globals;

typedef struct output_globals {
  char *text;
  size_t used, room;
} output_globals;

extern executor_globals engine_executor;
extern table_globals engine_tables;
extern compiler_globals engine_compiler;
extern lexer_globals engine_lexer;
extern allocator_globals engine_allocator;
extern output_globals engine_output;
#define EG(x) (engine_executor.x)
#define TG(x) (engine_tables.x)
#define CG(x) (engine_compiler.x)
#define LG(x) (engine_lexer.x)
#define AG(x) (engine_allocator.x)
#define OG(x) (engine_output.x)

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
