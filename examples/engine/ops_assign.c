/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ops_assign.c - instructions that change a variable, an element or a property: all of them get its place, a pointer to a cell
 * pointer.
 */
#include "vm.h"

/* A variable's cell comes to be shared; where it cannot be, because it is a reference, its value is copied. */
static void assign_cell(value **slot, value *cell ENGINE_DC) {
  value *old = *slot;
  if (old == cell)
    return;
  if (cell->is_ref && cell->refs > 1) {
    value *copy;
    ALLOC_ZVAL_TS(copy);
    value_copy(copy, cell);
    *slot = copy;
  } else {
    cell->refs++;
    *slot = cell;
  }
  if (old)
    value_release(old ENGINE_CC);
}

static void put_payload(value *cell, const value *v, uint8_t kind ENGINE_DC) {
  value old = {.type = cell->type, .u = cell->u};
  if (kind == K_TEMPORARY)
    value_put(cell, *v);
  else
    value_copy(cell, v);
  value_drop(&old ENGINE_CC);
}

void vm_assign(value **slot, const value *v, uint8_t kind ENGINE_DC) {
  value *cell = *slot;
  if (cell && (cell->is_ref || (cell->refs == 1 && kind != K_VARIABLE))) {
    put_payload(cell, v, kind ENGINE_CC);
  } else if (kind == K_VARIABLE && v != &value_null) {
    assign_cell(slot, (value *)v ENGINE_CC);
  } else {
    value *fresh;
    ALLOC_INIT_ZVAL_TS(fresh);
    put_payload(fresh, v, kind ENGINE_CC);
    *slot = fresh;
    if (cell)
      value_release(cell ENGINE_CC);
  }
}

op *op_ASSIGN(op *op ENGINE_DC) {
  frame *f = EG(frame);
  value **slot = vm_place(f, op->a_kind, op->a);
  vm_assign(slot, vm_read(f, op->b_kind, op->b), op->b_kind ENGINE_CC);
  if (op->r_kind)
    value_copy(vm_temporary(f, op->r), *slot);
  return op + 1;
}

/* The cell at a place, made to be this place's own. */
static inline value *own_cell(value **slot ENGINE_DC) {
  if (!*slot)
    ALLOC_INIT_ZVAL_TS(*slot);
  SEPARATE_ZVAL_IF_NOT_REF_TS(slot);
  return *slot;
}

op *op_ASSIGN_OP(op *op ENGINE_DC) {
  frame *f = EG(frame);
  value *cell = own_cell(vm_place(f, op->a_kind, op->a) ENGINE_CC);
  const value *b = vm_read(f, op->b_kind, op->b);
  int64_t sum;
  if (op->extra == OP_CONCAT && cell->type == T_STRING) {
    str *s = value_str(b ENGINE_CC);
    cell->u.s = str_append(cell->u.s, s->text, s->length ENGINE_CC);
    str_release(s ENGINE_CC);
  } else if (op->extra == OP_ADD && cell->type == T_INT && b->type == T_INT && !__builtin_add_overflow(cell->u.i, b->u.i, &sum)) {
    cell->u.i = sum;
  } else {
    value result = {.type = T_NULL};
    vm_binary(op->extra)(&result, cell, b ENGINE_CC);
    value_drop(cell ENGINE_CC);
    value_put(cell, result);
  }
  vm_done(op->b_kind, b ENGINE_CC);
  if (op->r_kind)
    value_copy(vm_temporary(f, op->r), cell);
  return op + 1;
}

static inline void step(value *cell, bool increment ENGINE_DC) {
  int64_t next;
  if (cell->type == T_INT && !__builtin_add_overflow(cell->u.i, increment ? 1 : -1, &next)) {
    cell->u.i = next;
    return;
  }
  value one = value_of_int(1), result = {.type = T_NULL};
  vm_binary(increment ? OP_ADD : OP_SUB)(&result, cell, &one ENGINE_CC);
  value_drop(cell ENGINE_CC);
  value_put(cell, result);
}

op *op_PRE_STEP(op *op ENGINE_DC) {
  frame *f = EG(frame);
  value *cell = own_cell(vm_place(f, op->a_kind, op->a) ENGINE_CC);
  step(cell, op->extra ENGINE_CC);
  if (op->r_kind)
    value_copy(vm_temporary(f, op->r), cell);
  return op + 1;
}

op *op_POST_STEP(op *op ENGINE_DC) {
  frame *f = EG(frame);
  value *cell = own_cell(vm_place(f, op->a_kind, op->a) ENGINE_CC), before;
  value_copy(&before, cell);
  step(cell, op->extra ENGINE_CC);
  value_put(vm_temporary(f, op->r), before);
  return op + 1;
}

/* Both places come to share one cell, for good. */
op *op_ASSIGN_REF(op *op ENGINE_DC) {
  frame *f = EG(frame);
  value **to = vm_place(f, op->a_kind, op->a), **from = vm_place(f, op->b_kind, op->b), *old = *to;
  if (!*from)
    ALLOC_INIT_ZVAL_TS(*from);
  SEPARATE_ZVAL_TO_MAKE_IS_REF_TS(from);
  (*from)->refs++;
  *to = *from;
  if (old)
    value_release(old ENGINE_CC);
  if (op->r_kind)
    value_copy(vm_temporary(f, op->r), *to);
  return op + 1;
}

op *op_UNSET_VAR(op *op ENGINE_DC) {
  value **slot = vm_variable(EG(frame), op->a), *old = *slot;
  *slot = NULL;
  if (old)
    value_release(old ENGINE_CC);
  return op + 1;
}

/* global $x: the function's variable becomes a reference to the global one. */
op *op_BIND_GLOBAL(op *op ENGINE_DC) {
  frame *f = EG(frame);
  value **slot = vm_variable(f, op->a), *old = *slot;
  entry *e = hash_put_str(TG(symbols), vm_read(f, op->b_kind, op->b)->u.s ENGINE_CC);
  if (!e->u.cell)
    ALLOC_INIT_ZVAL_TS(e->u.cell);
  SEPARATE_ZVAL_TO_MAKE_IS_REF_TS(&e->u.cell);
  e->u.cell->refs++;
  *slot = e->u.cell;
  if (old)
    value_release(old ENGINE_CC);
  return op + 1;
}
