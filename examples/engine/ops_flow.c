/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ops_flow.c - jumps, and output.
 */
#include "output.h"
#include "vm.h"

op *op_JUMP(op *op ENGINE_DC) { return vm_jump(op ENGINE_CC); }
op *op_JUMP_BACK(op *op ENGINE_DC) { return vm_jump(op ENGINE_CC); }

/* Consumes its operand. */
static inline bool condition(const op *op, frame *f ENGINE_DC) {
  const value *a = vm_read(f, op->a_kind, op->a);
  if (a->type == T_BOOL || a->type == T_INT)
    return a->u.i != 0;
  bool holds = value_true(a);
  vm_done(op->a_kind, a ENGINE_CC);
  return holds;
}

op *op_JUMP_FALSE(op *op ENGINE_DC) { return condition(op, EG(frame) ENGINE_CC) ? op + 1 : vm_jump(op ENGINE_CC); }
op *op_JUMP_TRUE(op *op ENGINE_DC) { return condition(op, EG(frame) ENGINE_CC) ? vm_jump(op ENGINE_CC) : op + 1; }

/* a ?: b: the result is a, and b is jumped over, if a is true. */
op *op_JUMP_SET(op *op ENGINE_DC) {
  frame *f = EG(frame);
  const value *a = vm_read(f, op->a_kind, op->a);
  value *r = vm_temporary(f, op->r);
  if (!value_true(a)) {
    vm_done(op->a_kind, a ENGINE_CC);
    return op + 1;
  }
  if (op->a_kind == K_TEMPORARY)
    value_put(r, *a);
  else
    value_copy(r, a);
  return vm_jump(op ENGINE_CC);
}

op *op_ECHO(op *op ENGINE_DC) {
  frame *f = EG(frame);
  const value *a = vm_read(f, op->a_kind, op->a);
  str *s = value_str(a ENGINE_CC);
  output_write(s->text, s->length ENGINE_CC);
  str_release(s ENGINE_CC);
  vm_done(op->a_kind, a ENGINE_CC);
  return op + 1;
}
