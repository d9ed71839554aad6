/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * code.h - what the compiler makes and the machine runs: instructions, functions, classes.
 *
 * An operand is a kind and an offset in bytes: of a literal in the function's literals, of a variable's cell pointer or of a
 * temporary in the frame. A temporary is written once and consumed by the one instruction that reads it.
 */
#ifndef ENGINE_CODE_H
#define ENGINE_CODE_H

#include "hash.h"

typedef op *(*handler)(op *op ENGINE_DC); /* the next instruction, or NULL: leave */

enum operand_kind { K_NONE, K_LITERAL, K_VARIABLE, K_TEMPORARY };

struct op {
  handler run;
  uint32_t a, b, r; /* operands, and the temporary for the result */
  uint8_t a_kind, b_kind, r_kind;
  uint8_t extra;
  int32_t jump; /* in instructions, from this one */
  uint32_t line;
  void *cache; /* what a name was found to be; filled by the first run */
  uint32_t slot;
};

enum opcode {
#define ENGINE_OP(name, what) OP_##name,
#include "ops.def"
#undef ENGINE_OP
};
#define ENGINE_OP(name, what) op *op_##name(op *op ENGINE_DC);
#include "ops.def"
#undef ENGINE_OP
extern const handler engine_handlers[];

/* A function in C: the arguments are cells; *result is null and may be given a value. */
typedef void (*native)(value **arguments, uint32_t count, value *result ENGINE_DC);

struct function {
  str *name;
  class *class; /* of a method, else NULL */
  bool is_static;
  native native; /* NULL: ops */
  op *ops;
  uint32_t op_count;
  value *literals;
  uint32_t variable_count, temporary_count;
  uint32_t parameter_count;
  uint64_t by_reference; /* a bit a parameter */
  str **variables;       /* names */
  size_t frame_size;
};

struct class {
  str *name;
  hash *methods;    /* of function */
  hash *constants;  /* of value */
  hash *statics;    /* of value */
  hash *properties; /* item: a name's place + 1 */
  value *defaults;  /* of the properties */
  uint32_t property_count;
  function *constructor; /* the method `construct`, or NULL */
};

/* A function's activation. Behind it lie its variables (cells, or NULL), then its temporaries. */
struct frame {
  function *function;
  object *self;   /* NULL in functions and static methods */
  frame *caller;  /* whose instruction `resume` made the call */
  frame *pending; /* the innermost call that this one is preparing; while pending itself: the next outer one */
  op *resume;
  uint32_t argument_count;
  value *variables[];
};

/* Compiles a source; the main function. row: only this `row` block, or all if NULL. */
function *compile_source(const char *name, const char *text, size_t length, const char *row ENGINE_DC);

#endif
