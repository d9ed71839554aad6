/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * globals_types.h - the engine's global variables, as six structures. The layout of a thread's block is made from this header, so
 * it knows nothing of how they are reached: see globals.h.
 */
#ifndef ENGINE_GLOBALS_TYPES_H
#define ENGINE_GLOBALS_TYPES_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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

#endif
