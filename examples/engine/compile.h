/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * compile.h - from the syntax tree to instructions: what the compiler's two files share.
 *
 * An instruction's result is a temporary, taken before its operands are given back: no instruction writes where it reads.
 */
#ifndef ENGINE_COMPILE_H
#define ENGINE_COMPILE_H

#include "ast.h"
#include "code.h"

typedef struct operand {
  uint8_t kind;
  uint32_t index; /* an ordinal; an offset when the function is finished */
} operand;

/* A loop around the statement being compiled. Jumps out of it are chained through their `jump` until the target is known. */
typedef struct loop {
  struct loop *outer;
  int32_t breaks, continues; /* the last jump's ordinal, or -1 */
  operand iterator;          /* of foreach: to be ended by who leaves the function */
} loop;

typedef struct unit {
  function *function;
  uint32_t op_room, literal_count, literal_room, variable_room;
  uint32_t *spare; /* temporaries given back */
  uint32_t spare_count, spare_room;
  loop *loop;
} unit;

/* Names found by parsing alone. */
typedef struct row_list {
  char **names; /* malloc'ed, each too */
  size_t count;
} row_list;
void row_found(const char *name ENGINE_DC);
/* Fills *rows. */
void compile_list_rows(const char *name, const char *text, size_t length, row_list *rows ENGINE_DC);

op *emit(int code, operand a, operand b ENGINE_DC); /* gives temporaries among the operands back */
operand emit_result(int code, operand a, operand b ENGINE_DC);
op *last_op(ENGINE_D);
uint32_t here(ENGINE_D); /* the next instruction's ordinal */
operand take_temporary(ENGINE_D);
void give_back(operand o ENGINE_DC);
operand variable(str *name ENGINE_DC);
operand literal_value(value v ENGINE_DC);
operand literal_name(str *name ENGINE_DC);
void jump_here(uint32_t from ENGINE_DC);
static const operand no_operand = {K_NONE, 0};

operand compile_expression(node *n ENGINE_DC);
void compile_discarded(node *n ENGINE_DC); /* for what it does */
/* A place to write to, in two halves: first the values of its indexes are computed, and may run any code; then the instructions
   that walk to the place, between which nothing else may run. */
void compile_place_indexes(node *n ENGINE_DC);
operand compile_place(node *n ENGINE_DC);

#endif
