/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * compile_statement.c - instructions for statements; functions and classes are declared while they are compiled, so that a
 * program may call what it declares further down.
 */
#include "compile_statement.h"

#include <string.h>

#include "vm.h"

static void statements(node *list ENGINE_DC) {
  for (; list; list = list->next)
    compile_statement(list ENGINE_CC);
}

static void loop_enter(loop *l ENGINE_DC) {
  *l = (loop){.outer = CG(unit)->loop, .breaks = -1, .continues = -1};
  CG(unit)->loop = l;
}

static void chain(int32_t *list ENGINE_DC) {
  int32_t at = (int32_t)here(ENGINE_C);
  emit(OP_JUMP, no_operand, no_operand ENGINE_CC)->jump = *list;
  *list = at;
}

static void resolve(int32_t list ENGINE_DC) {
  while (list >= 0) {
    int32_t next = CG(unit)->function->ops[list].jump;
    jump_here((uint32_t)list ENGINE_CC);
    list = next;
  }
}

static void jump_to(int code, operand condition, uint32_t target ENGINE_DC) {
  uint32_t from = here(ENGINE_C);
  emit(code, condition, no_operand ENGINE_CC)->jump = (int32_t)(target - from);
}

/* The condition stands behind the body: one jump a turn. */
static void while_loop(node *n ENGINE_DC) {
  loop l;
  uint32_t entry = here(ENGINE_C);
  emit(OP_JUMP, no_operand, no_operand ENGINE_CC);
  uint32_t body = here(ENGINE_C);
  loop_enter(&l ENGINE_CC);
  compile_statement(n->b ENGINE_CC);
  jump_here(entry ENGINE_CC);
  resolve(l.continues ENGINE_CC);
  jump_to(OP_JUMP_TRUE, compile_expression(n->a ENGINE_CC), body ENGINE_CC);
  resolve(l.breaks ENGINE_CC);
  CG(unit)->loop = l.outer;
}

static void for_loop(node *n ENGINE_DC) {
  loop l;
  for (node *e = n->a; e; e = e->next)
    compile_discarded(e ENGINE_CC);
  uint32_t entry = here(ENGINE_C);
  emit(OP_JUMP, no_operand, no_operand ENGINE_CC);
  uint32_t body = here(ENGINE_C);
  loop_enter(&l ENGINE_CC);
  compile_statement(n->list ENGINE_CC);
  resolve(l.continues ENGINE_CC);
  for (node *e = n->c; e; e = e->next)
    compile_discarded(e ENGINE_CC);
  jump_here(entry ENGINE_CC);
  node *condition = n->b;
  while (condition && condition->next) {
    compile_discarded(condition ENGINE_CC);
    condition = condition->next;
  }
  if (condition)
    jump_to(OP_JUMP_TRUE, compile_expression(condition ENGINE_CC), body ENGINE_CC);
  else
    jump_to(OP_JUMP_BACK, no_operand, body ENGINE_CC);
  resolve(l.breaks ENGINE_CC);
  CG(unit)->loop = l.outer;
}

static void foreach_loop(node *n ENGINE_DC) {
  loop l;
  operand subject = compile_expression(n->a ENGINE_CC);
  operand iterator = emit_result(OP_EACH_BEGIN, subject, no_operand ENGINE_CC);
  loop_enter(&l ENGINE_CC);
  l.iterator = iterator;
  operand element = variable(n->b->name ENGINE_CC), key = n->c ? variable(n->c->name ENGINE_CC) : no_operand;
  uint32_t top = here(ENGINE_C);
  op *next = emit(OP_EACH_NEXT, no_operand, element ENGINE_CC);
  next->a_kind = iterator.kind; /* not consumed */
  next->a = iterator.index;
  next->r_kind = key.kind;
  next->r = key.index;
  compile_statement(n->list ENGINE_CC);
  resolve(l.continues ENGINE_CC);
  jump_to(OP_JUMP_BACK, no_operand, top ENGINE_CC);
  jump_here(top ENGINE_CC);
  resolve(l.breaks ENGINE_CC);
  emit(OP_EACH_END, iterator, no_operand ENGINE_CC);
  CG(unit)->loop = l.outer;
}

static void if_else(node *n ENGINE_DC) {
  operand condition = compile_expression(n->a ENGINE_CC);
  uint32_t over = here(ENGINE_C);
  emit(OP_JUMP_FALSE, condition, no_operand ENGINE_CC);
  compile_statement(n->b ENGINE_CC);
  if (n->c) {
    uint32_t end = here(ENGINE_C);
    emit(OP_JUMP, no_operand, no_operand ENGINE_CC);
    jump_here(over ENGINE_CC);
    compile_statement(n->c ENGINE_CC);
    jump_here(end ENGINE_CC);
  } else {
    jump_here(over ENGINE_CC);
  }
}

static void return_value(node *n ENGINE_DC) {
  operand result = n->a ? compile_expression(n->a ENGINE_CC) : literal_value(value_null ENGINE_CC);
  for (loop *l = CG(unit)->loop; l; l = l->outer) {
    if (l->iterator.kind == K_NONE)
      continue;
    op *end = emit(OP_EACH_END, no_operand, no_operand ENGINE_CC);
    end->a_kind = l->iterator.kind; /* the loop still owns it */
    end->a = l->iterator.index;
  }
  emit(OP_RETURN, result, no_operand ENGINE_CC);
}

static void unset(node *n ENGINE_DC) {
  if (n->kind == N_VARIABLE) {
    emit(OP_UNSET_VAR, variable(n->name ENGINE_CC), no_operand ENGINE_CC);
  } else if (n->kind == N_DIM && n->b) {
    compile_place_indexes(n ENGINE_CC);
    operand base = compile_place(n->a ENGINE_CC);
    emit(OP_UNSET_DIM, base, (operand){n->index_kind, n->index} ENGINE_CC);
  } else {
    vm_compile_error("unset takes a variable or an element" ENGINE_CC);
  }
}

static void declare(hash *table, str *name, void *item ENGINE_DC) {
  entry *e = hash_put_str(table, name ENGINE_CC);
  if (e->u.item)
    vm_compile_error("this name is declared twice" ENGINE_CC);
  e->u.item = item;
}

/* What a class's constants and fields begin with. */
static value *initial(node *n ENGINE_DC) {
  value *cell;
  if (n && n->kind != N_LITERAL && !(n->kind == N_ARRAY && !n->list))
    vm_compile_error("a constant or [] expected" ENGINE_CC);
  ALLOC_INIT_ZVAL_TS(cell);
  if (n && n->kind == N_LITERAL)
    value_put(cell, n->literal);
  else if (n)
    value_put(cell, value_of_hash(hash_new(0 ENGINE_CC)));
  return cell;
}

static void class_declaration(node *n ENGINE_DC) {
  class *c = ecallocts(1, sizeof *c ENGINE_CC);
  uint32_t count = 0;
  c->name = n->name;
  c->methods = hash_new_table(ENGINE_C);
  c->constants = hash_new_table(ENGINE_C);
  c->statics = hash_new_table(ENGINE_C);
  c->properties = hash_new_table(ENGINE_C);
  declare(TG(classes), n->name, c ENGINE_CC);
  for (node *m = n->list; m; m = m->next)
    count += m->kind == N_FIELD && !m->flag;
  c->defaults = ecallocts(count + 1, sizeof *c->defaults ENGINE_CC);
  CG(class) = c;
  for (node *m = n->list; m; m = m->next) {
    if (m->kind == N_CONST) {
      declare(c->constants, m->name, initial(m->a ENGINE_CC) ENGINE_CC);
    } else if (m->kind == N_FIELD && m->flag) {
      declare(c->statics, m->name, initial(m->a ENGINE_CC) ENGINE_CC);
    } else if (m->kind == N_FIELD) {
      value_put(&c->defaults[c->property_count++], *initial(m->a ENGINE_CC));
      declare(c->properties, m->name, (void *)(uintptr_t)c->property_count ENGINE_CC);
    } else {
      function *f = compile_function(m, c ENGINE_CC);
      declare(c->methods, m->name, f ENGINE_CC);
      if (!strcmp(m->name->text, "construct"))
        c->constructor = f;
    }
  }
  CG(class) = NULL;
}

static void leave_loop(bool is_break ENGINE_DC) {
  loop *l = CG(unit)->loop;
  if (!l)
    vm_compile_error("break or continue outside of a loop" ENGINE_CC);
  chain(is_break ? &l->breaks : &l->continues ENGINE_CC);
}

void compile_statement(node *n ENGINE_DC) {
  if (!n)
    return;
  LG(line) = n->line;
  switch (n->kind) {
  case N_EXPRESSION:
    compile_discarded(n->a ENGINE_CC);
    return;
  case N_ECHO:
    for (node *e = n->list; e; e = e->next)
      emit(OP_ECHO, compile_expression(e ENGINE_CC), no_operand ENGINE_CC);
    return;
  case N_IF:
    if_else(n ENGINE_CC);
    return;
  case N_WHILE:
    while_loop(n ENGINE_CC);
    return;
  case N_FOR:
    for_loop(n ENGINE_CC);
    return;
  case N_FOREACH:
    foreach_loop(n ENGINE_CC);
    return;
  case N_BLOCK:
    statements(n->list ENGINE_CC);
    return;
  case N_RETURN:
    return_value(n ENGINE_CC);
    return;
  case N_BREAK:
  case N_CONTINUE:
    leave_loop(n->kind == N_BREAK ENGINE_CC);
    return;
  case N_GLOBAL:
    for (node *v = n->list; v; v = v->next) {
      operand place = variable(v->name ENGINE_CC);
      emit(OP_BIND_GLOBAL, place, literal_name(v->name ENGINE_CC) ENGINE_CC);
    }
    return;
  case N_UNSET:
    unset(n->a ENGINE_CC);
    return;
  case N_CONST: {
    operand v = compile_expression(n->a ENGINE_CC);
    emit(OP_DECLARE_CONSTANT, v, literal_name(n->name ENGINE_CC) ENGINE_CC);
    return;
  }
  case N_FUNCTION:
    declare(TG(functions), n->name, compile_function(n, NULL ENGINE_CC) ENGINE_CC);
    return;
  case N_CLASS:
    class_declaration(n ENGINE_CC);
    return;
  }
}
