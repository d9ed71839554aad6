/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * compile.c - a function's parts while it is compiled: instructions, operands, jumps; and the way from a source to the main
 * function.
 */
#include "compile.h"

#include <stdlib.h>
#include <string.h>

#include "compile_statement.h"
#include "lexer.h"
#include "vm.h"

uint32_t here(ENGINE_D) { return CG(unit)->function->op_count; }
op *last_op(ENGINE_D) { return &CG(unit)->function->ops[CG(unit)->function->op_count - 1]; }

/* Room for one more of an array that doubles. */
static void *room_for(void *array, uint32_t count, uint32_t *room, size_t size ENGINE_DC) {
  if (count < *room)
    return array;
  *room = *room ? 2 * *room : 8;
  return array ? ereallocts(array, *room * size ENGINE_CC) : emallocts(*room * size ENGINE_CC);
}

operand take_temporary(ENGINE_D) {
  unit *u = CG(unit);
  uint32_t index = u->spare_count ? u->spare[--u->spare_count] : u->function->temporary_count++;
  return (operand){K_TEMPORARY, index};
}

void give_back(operand o ENGINE_DC) {
  unit *u = CG(unit);
  if (o.kind != K_TEMPORARY)
    return;
  u->spare = room_for(u->spare, u->spare_count, &u->spare_room, sizeof *u->spare ENGINE_CC);
  u->spare[u->spare_count++] = o.index;
}

op *emit(int code, operand a, operand b ENGINE_DC) {
  unit *u = CG(unit);
  function *f = u->function;
  f->ops = room_for(f->ops, f->op_count, &u->op_room, sizeof *f->ops ENGINE_CC);
  op *o = &f->ops[f->op_count++];
  *o = (op){.run = engine_handlers[code], .a = a.index, .b = b.index, .a_kind = a.kind, .b_kind = b.kind, .line = LG(line)};
  give_back(a ENGINE_CC);
  give_back(b ENGINE_CC);
  return o;
}

operand emit_result(int code, operand a, operand b ENGINE_DC) {
  operand r = take_temporary(ENGINE_C);
  op *o = emit(code, a, b ENGINE_CC);
  o->r_kind = r.kind;
  o->r = r.index;
  return r;
}

void jump_here(uint32_t from ENGINE_DC) { CG(unit)->function->ops[from].jump = (int32_t)(here(ENGINE_C) - from); }

operand variable(str *name ENGINE_DC) {
  unit *u = CG(unit);
  function *f = u->function;
  for (uint32_t i = 0; i < f->variable_count; i++)
    if (str_equal(f->variables[i], name))
      return (operand){K_VARIABLE, i};
  f->variables = room_for(f->variables, f->variable_count, &u->variable_room, sizeof *f->variables ENGINE_CC);
  f->variables[f->variable_count] = name;
  return (operand){K_VARIABLE, f->variable_count++};
}

operand literal_value(value v ENGINE_DC) {
  unit *u = CG(unit);
  function *f = u->function;
  f->literals = room_for(f->literals, u->literal_count, &u->literal_room, sizeof *f->literals ENGINE_CC);
  value *to = &f->literals[u->literal_count];
  *to = (value){.refs = 1};
  value_put(to, v);
  return (operand){K_LITERAL, u->literal_count++};
}

operand literal_name(str *name ENGINE_DC) {
  str_hash(name);
  return literal_value(value_of_str(name) ENGINE_CC);
}

static uint32_t offset_of(const function *f, uint8_t kind, uint32_t index) {
  switch (kind) {
  case K_LITERAL:
    return index * (uint32_t)sizeof(value);
  case K_VARIABLE:
    return (uint32_t)(offsetof(frame, variables) + index * sizeof(value *));
  case K_TEMPORARY:
    return (uint32_t)(offsetof(frame, variables) + f->variable_count * sizeof(value *) + index * sizeof(value));
  default:
    return 0;
  }
}

/* The number of variables is known now: ordinals become offsets. */
static void finish(function *f) {
  for (op *o = f->ops; o < f->ops + f->op_count; o++) {
    o->a = offset_of(f, o->a_kind, o->a);
    o->b = offset_of(f, o->b_kind, o->b);
    o->r = offset_of(f, o->r_kind, o->r);
  }
  f->frame_size = (offset_of(f, K_TEMPORARY, f->temporary_count) + 15) & ~(size_t)15;
}

function *compile_function(node *n, class *class ENGINE_DC) {
  function *f = ecallocts(1, sizeof *f ENGINE_CC);
  unit u = {.function = f}, *outer = CG(unit);
  CG(unit) = &u;
  f->name = n->name;
  f->class = class;
  f->is_static = n->flag;
  for (node *p = n->list; p; p = p->next) {
    if (variable(p->name ENGINE_CC).index != f->parameter_count || f->parameter_count == 64)
      vm_compile_error("a parameter twice, or more than 64 of them" ENGINE_CC);
    f->by_reference |= (uint64_t)p->flag << f->parameter_count++;
  }
  compile_statement(n->a ENGINE_CC);
  emit(OP_RETURN, literal_value(value_null ENGINE_CC), no_operand ENGINE_CC);
  finish(f);
  if (u.spare)
    efreets(u.spare ENGINE_CC);
  CG(unit) = outer;
  return f;
}

void row_found(const char *name ENGINE_DC) {
  row_list *rows = CG(rows);
  if (!rows)
    return;
  char **names = realloc(rows->names, (rows->count + 1) * sizeof *names);
  char *copy = strdup(name);
  if (!names || !copy)
    vm_error("out of memory");
  rows->names = names;
  rows->names[rows->count++] = copy;
}

static node *parse(const char *name, const char *text, size_t length, const char *row, row_list *rows ENGINE_DC) {
  CG(row) = row;
  CG(rows) = rows;
  CG(class) = NULL;
  CG(unit) = NULL;
  CG(arena) = NULL;
  lexer_open(name, text, length ENGINE_CC);
  node *main = node_new(N_FUNCTION ENGINE_CC);
  main->name = str_new("main", 4 ENGINE_CC);
  main->a = node_new(N_BLOCK ENGINE_CC);
  main->a->list = parse_program(ENGINE_C);
  return main;
}

function *compile_source(const char *name, const char *text, size_t length, const char *row ENGINE_DC) {
  node *tree = parse(name, text, length, row, NULL ENGINE_CC);
  function *f = compile_function(tree, NULL ENGINE_CC);
  arena_free(ENGINE_C);
  return f;
}

void compile_list_rows(const char *name, const char *text, size_t length, row_list *rows ENGINE_DC) {
  parse(name, text, length, NULL, rows ENGINE_CC);
  arena_free(ENGINE_C);
}
