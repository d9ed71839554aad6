/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * compile_expression.c - instructions for expressions and for places that are written to.
 */
#include <string.h>

#include "compile.h"
#include "vm.h"

static bool is_variable(const node *n, const char *name) { return n->kind == N_VARIABLE && !strcmp(n->name->text, name); }

/* $_NAME is a global variable everywhere. */
static bool is_super_global(const node *n) { return n->kind == N_VARIABLE && n->name->text[0] == '_' && n->name->length > 1; }

static operand class_name(str *name ENGINE_DC) {
  if (strcmp(name->text, "self"))
    return literal_name(name ENGINE_CC);
  if (!CG(class))
    vm_compile_error("self outside of a class" ENGINE_CC);
  return literal_name(CG(class)->name ENGINE_CC);
}

/* The object of a property or method: nothing stands for $this. */
static operand object_of(node *n ENGINE_DC) { return is_variable(n, "this") ? no_operand : compile_expression(n ENGINE_CC); }

void compile_place_indexes(node *n ENGINE_DC) {
  operand o = no_operand;
  switch (n->kind) {
  case N_DIM:
    if (!is_variable(n->a, "GLOBALS"))
      compile_place_indexes(n->a ENGINE_CC);
    if (n->b)
      o = compile_expression(n->b ENGINE_CC);
    break;
  case N_PROPERTY:
    o = object_of(n->a ENGINE_CC);
    break;
  case N_VARIABLE:
  case N_STATIC:
    break;
  default:
    vm_compile_error("this cannot be written to" ENGINE_CC);
  }
  n->index_kind = o.kind;
  n->index = o.index;
}

operand compile_place(node *n ENGINE_DC) {
  operand index = {n->index_kind, n->index};
  switch (n->kind) {
  case N_VARIABLE:
    if (is_variable(n, "this"))
      vm_compile_error("$this cannot be written to" ENGINE_CC);
    if (is_super_global(n))
      return emit_result(OP_WRITE_GLOBAL, no_operand, literal_name(n->name ENGINE_CC) ENGINE_CC);
    return variable(n->name ENGINE_CC);
  case N_DIM:
    if (is_variable(n->a, "GLOBALS") && n->b)
      return emit_result(OP_WRITE_GLOBAL, no_operand, index ENGINE_CC);
    return emit_result(n->b ? OP_WRITE_DIM : OP_PUSH_DIM, compile_place(n->a ENGINE_CC), index ENGINE_CC);
  case N_PROPERTY:
    return emit_result(OP_WRITE_PROPERTY, index, literal_name(n->name ENGINE_CC) ENGINE_CC);
  default:
    return emit_result(OP_WRITE_STATIC, class_name(n->class ENGINE_CC), literal_name(n->name ENGINE_CC) ENGINE_CC);
  }
}

static uint32_t send_all(node *list ENGINE_DC) {
  uint32_t count = 0;
  for (; list; list = list->next) {
    operand o = compile_expression(list ENGINE_CC);
    emit(OP_SEND, o, no_operand ENGINE_CC)->slot = count++;
  }
  return count;
}

static operand call(node *n ENGINE_DC) {
  operand a = no_operand, b = no_operand;
  int code = OP_INIT_CALL;
  if (n->kind == N_METHOD) {
    a = object_of(n->a ENGINE_CC);
    code = OP_INIT_METHOD;
  } else if (n->kind == N_STATIC_CALL) {
    a = class_name(n->class ENGINE_CC);
    code = OP_INIT_STATIC;
  }
  b = literal_name(n->name ENGINE_CC);
  uint32_t at = here(ENGINE_C);
  emit(code, a, b ENGINE_CC);
  uint32_t count = send_all(n->list ENGINE_CC); /* may move the instructions */
  CG(unit)->function->ops[at].slot = count;
  return emit_result(OP_CALL, no_operand, no_operand ENGINE_CC);
}

/* NEW prepares the constructor's call, or jumps over it if the class has none. */
static operand new_object(node *n ENGINE_DC) {
  uint32_t at = here(ENGINE_C);
  operand object = emit_result(OP_NEW, class_name(n->class ENGINE_CC), no_operand ENGINE_CC);
  uint32_t count = send_all(n->list ENGINE_CC);
  CG(unit)->function->ops[at].slot = count;
  operand nothing = emit_result(OP_CALL, no_operand, no_operand ENGINE_CC);
  emit(OP_FREE, nothing, no_operand ENGINE_CC);
  jump_here(at ENGINE_CC);
  return object;
}

/* a && b, a || b: a bool in one temporary, whichever way it comes. */
static operand logical(node *n ENGINE_DC) {
  operand result = emit_result(OP_BOOL, compile_expression(n->a ENGINE_CC), no_operand ENGINE_CC);
  uint32_t over = here(ENGINE_C);
  op *jump = emit(n->kind == N_AND ? OP_JUMP_FALSE : OP_JUMP_TRUE, no_operand, no_operand ENGINE_CC);
  jump->a_kind = result.kind;
  jump->a = result.index;
  op *second = emit(OP_BOOL, compile_expression(n->b ENGINE_CC), no_operand ENGINE_CC);
  second->r_kind = result.kind;
  second->r = result.index;
  jump_here(over ENGINE_CC);
  return result;
}

static void copy_to(operand result, operand from ENGINE_DC) {
  op *o = emit(OP_COPY, from, no_operand ENGINE_CC);
  o->r_kind = result.kind;
  o->r = result.index;
}

static operand ternary(node *n ENGINE_DC) {
  operand condition = compile_expression(n->a ENGINE_CC);
  uint32_t first = here(ENGINE_C), second;
  operand result;
  if (!n->b) { /* a ?: c */
    result = emit_result(OP_JUMP_SET, condition, no_operand ENGINE_CC);
    copy_to(result, compile_expression(n->c ENGINE_CC) ENGINE_CC);
    jump_here(first ENGINE_CC);
    return result;
  }
  emit(OP_JUMP_FALSE, condition, no_operand ENGINE_CC);
  result = take_temporary(ENGINE_C);
  copy_to(result, compile_expression(n->b ENGINE_CC) ENGINE_CC);
  second = here(ENGINE_C);
  emit(OP_JUMP, no_operand, no_operand ENGINE_CC);
  jump_here(first ENGINE_CC);
  copy_to(result, compile_expression(n->c ENGINE_CC) ENGINE_CC);
  jump_here(second ENGINE_CC);
  return result;
}

static operand array(node *n ENGINE_DC) {
  operand result = emit_result(OP_NEW_ARRAY, no_operand, no_operand ENGINE_CC);
  for (node *element = n->list; element; element = element->next) {
    operand key = element->b ? compile_expression(element->b ENGINE_CC) : no_operand;
    op *o = emit(OP_ADD_ELEMENT, compile_expression(element->a ENGINE_CC), key ENGINE_CC);
    o->r_kind = result.kind;
    o->r = result.index;
  }
  return result;
}

/* Emits an instruction that writes; its result only if wanted. */
static operand writing(node *n, bool wanted ENGINE_DC) {
  compile_place_indexes(n->a ENGINE_CC);
  operand value = no_operand, place;
  int code = n->kind == N_ASSIGN ? OP_ASSIGN : n->kind == N_ASSIGN_OP ? OP_ASSIGN_OP : OP_ASSIGN_REF;
  if (n->kind == N_STEP)
    code = n->flag & 2 || !wanted ? OP_PRE_STEP : OP_POST_STEP;
  else if (n->kind == N_ASSIGN_REF)
    compile_place_indexes(n->b ENGINE_CC);
  else
    value = compile_expression(n->b ENGINE_CC);
  if (n->kind == N_ASSIGN_REF)
    value = compile_place(n->b ENGINE_CC);
  place = compile_place(n->a ENGINE_CC);
  operand result = no_operand;
  if (wanted)
    result = emit_result(code, place, value ENGINE_CC);
  else
    emit(code, place, value ENGINE_CC);
  last_op(ENGINE_C)->extra = n->kind == N_STEP ? n->flag & 1 : n->op;
  return result;
}

static operand binary(node *n ENGINE_DC) {
  operand a = compile_expression(n->a ENGINE_CC), b = compile_expression(n->b ENGINE_CC);
  return n->flag ? emit_result(n->op, b, a ENGINE_CC) : emit_result(n->op, a, b ENGINE_CC);
}

operand compile_expression(node *n ENGINE_DC) {
  LG(line) = n->line;
  switch (n->kind) {
  case N_LITERAL:
    return literal_value(n->literal ENGINE_CC);
  case N_VARIABLE:
    if (is_variable(n, "this"))
      return emit_result(OP_READ_SELF, no_operand, no_operand ENGINE_CC);
    if (is_super_global(n))
      return emit_result(OP_READ_GLOBAL, no_operand, literal_name(n->name ENGINE_CC) ENGINE_CC);
    return variable(n->name ENGINE_CC);
  case N_DIM: {
    if (!n->b)
      vm_compile_error("[] cannot be read" ENGINE_CC);
    if (is_variable(n->a, "GLOBALS"))
      return emit_result(OP_READ_GLOBAL, no_operand, compile_expression(n->b ENGINE_CC) ENGINE_CC);
    operand base = compile_expression(n->a ENGINE_CC);
    return emit_result(OP_READ_DIM, base, compile_expression(n->b ENGINE_CC) ENGINE_CC);
  }
  case N_PROPERTY: {
    operand base = object_of(n->a ENGINE_CC);
    return emit_result(OP_READ_PROPERTY, base, literal_name(n->name ENGINE_CC) ENGINE_CC);
  }
  case N_STATIC:
    return emit_result(OP_READ_STATIC, class_name(n->class ENGINE_CC), literal_name(n->name ENGINE_CC) ENGINE_CC);
  case N_CONSTANT:
    return emit_result(OP_READ_CONSTANT, no_operand, literal_name(n->name ENGINE_CC) ENGINE_CC);
  case N_CLASS_CONSTANT:
    return emit_result(OP_READ_CLASS_CONSTANT, class_name(n->class ENGINE_CC), literal_name(n->name ENGINE_CC) ENGINE_CC);
  case N_BINARY:
    return binary(n ENGINE_CC);
  case N_NOT:
    return emit_result(OP_NOT, compile_expression(n->a ENGINE_CC), no_operand ENGINE_CC);
  case N_ISSET:
    return emit_result(OP_ISSET, compile_expression(n->a ENGINE_CC), no_operand ENGINE_CC);
  case N_EMPTY:
    return emit_result(OP_EMPTY, compile_expression(n->a ENGINE_CC), no_operand ENGINE_CC);
  case N_AND:
  case N_OR:
    return logical(n ENGINE_CC);
  case N_TERNARY:
    return ternary(n ENGINE_CC);
  case N_ASSIGN:
  case N_ASSIGN_OP:
  case N_ASSIGN_REF:
  case N_STEP:
    return writing(n, true ENGINE_CC);
  case N_CALL:
  case N_METHOD:
  case N_STATIC_CALL:
    return call(n ENGINE_CC);
  case N_NEW:
    return new_object(n ENGINE_CC);
  case N_ARRAY:
    return array(n ENGINE_CC);
  default:
    vm_compile_error("an expression expected" ENGINE_CC);
  }
}

void compile_discarded(node *n ENGINE_DC) {
  if (n->kind == N_ASSIGN || n->kind == N_ASSIGN_OP || n->kind == N_ASSIGN_REF || n->kind == N_STEP) {
    writing(n, false ENGINE_CC);
    return;
  }
  operand o = compile_expression(n ENGINE_CC);
  if (o.kind == K_TEMPORARY)
    emit(OP_FREE, o, no_operand ENGINE_CC);
}
