/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ops_object.c - what is found by a name: properties, static properties, constants, global variables, classes. What can be kept
 * is kept in the instruction, so a name is looked up once.
 */
#include "vm.h"

class *vm_class(const value *name ENGINE_DC) {
  entry *e = hash_find_str(TG(classes), name->u.s);
  if (!e)
    vm_error("no class %s", name->u.s->text);
  return e->u.item;
}

/* The object of an instruction: its operand, or $this. */
static object *object_operand(const op *op, frame *f ENGINE_DC) {
  if (op->a_kind == K_NONE) {
    if (!f->self)
      vm_error("$this outside of a method");
    return f->self;
  }
  const value *v = vm_read(f, op->a_kind, op->a);
  if (v->type != T_OBJECT)
    vm_error("a value of type %s is no object", value_type_name(v));
  return v->u.o;
}

static value **property(op *op, const object *o, const value *name ENGINE_DC) {
  if (op->cache != o->class) {
    entry *e = hash_find_str(o->class->properties, name->u.s);
    if (!e)
      vm_error("class %s has no property %s", o->class->name->text, name->u.s->text);
    op->slot = (uint32_t)((uintptr_t)e->u.item - 1);
    op->cache = o->class;
  }
  return (value **)&o->properties[op->slot];
}

op *op_READ_PROPERTY(op *op ENGINE_DC) {
  frame *f = EG(frame);
  object *o = object_operand(op, f ENGINE_CC);
  value *cell = *property(op, o, vm_read(f, op->b_kind, op->b) ENGINE_CC);
  value_copy(vm_temporary(f, op->r), cell);
  if (op->a_kind == K_TEMPORARY)
    value_drop(vm_temporary(f, op->a) ENGINE_CC);
  return op + 1;
}

op *op_WRITE_PROPERTY(op *op ENGINE_DC) {
  frame *f = EG(frame);
  object *o = object_operand(op, f ENGINE_CC);
  value *r = vm_temporary(f, op->r);
  r->u.slot = property(op, o, vm_read(f, op->b_kind, op->b) ENGINE_CC);
  r->type = T_SLOT;
  if (op->a_kind == K_TEMPORARY) {
    if (o->refs == 1)
      vm_error("a property of an object that nobody holds cannot be written");
    value_drop(vm_temporary(f, op->a) ENGINE_CC);
  }
  return op + 1;
}

op *op_READ_SELF(op *op ENGINE_DC) {
  frame *f = EG(frame);
  value *r = vm_temporary(f, op->r);
  if (!f->self)
    vm_error("$this outside of a method");
  r->u.o = f->self;
  r->type = T_OBJECT;
  f->self->refs++;
  return op + 1;
}

static value **static_property(op *op, frame *f ENGINE_DC) {
  if (!op->cache) {
    class *c = vm_class(vm_read(f, op->a_kind, op->a) ENGINE_CC);
    const value *name = vm_read(f, op->b_kind, op->b);
    entry *e = hash_find_str(c->statics, name->u.s);
    if (!e)
      vm_error("class %s has no static property %s", c->name->text, name->u.s->text);
    op->cache = &e->u.cell; /* the table does not grow any more */
  }
  return op->cache;
}

op *op_READ_STATIC(op *op ENGINE_DC) {
  frame *f = EG(frame);
  value_copy(vm_temporary(f, op->r), *static_property(op, f ENGINE_CC));
  return op + 1;
}

op *op_WRITE_STATIC(op *op ENGINE_DC) {
  frame *f = EG(frame);
  value *r = vm_temporary(f, op->r);
  r->u.slot = static_property(op, f ENGINE_CC);
  r->type = T_SLOT;
  return op + 1;
}

op *op_READ_CLASS_CONSTANT(op *op ENGINE_DC) {
  frame *f = EG(frame);
  if (!op->cache) {
    class *c = vm_class(vm_read(f, op->a_kind, op->a) ENGINE_CC);
    const value *name = vm_read(f, op->b_kind, op->b);
    entry *e = hash_find_str(c->constants, name->u.s);
    if (!e)
      vm_error("class %s has no constant %s", c->name->text, name->u.s->text);
    op->cache = e->u.cell;
  }
  value_copy(vm_temporary(f, op->r), op->cache);
  return op + 1;
}

op *op_READ_CONSTANT(op *op ENGINE_DC) {
  frame *f = EG(frame);
  if (!op->cache) {
    const value *name = vm_read(f, op->b_kind, op->b);
    entry *e = hash_find_str(TG(constants), name->u.s);
    if (!e)
      vm_error("no constant %s", name->u.s->text);
    op->cache = e->u.cell;
  }
  value_copy(vm_temporary(f, op->r), op->cache);
  return op + 1;
}

op *op_DECLARE_CONSTANT(op *op ENGINE_DC) {
  frame *f = EG(frame);
  entry *e = hash_put_str(TG(constants), vm_read(f, op->b_kind, op->b)->u.s ENGINE_CC);
  if (e->u.cell)
    vm_error("constant %s is declared twice", e->key->text);
  vm_assign(&e->u.cell, vm_read(f, op->a_kind, op->a), op->a_kind ENGINE_CC);
  return op + 1;
}

op *op_READ_GLOBAL(op *op ENGINE_DC) {
  frame *f = EG(frame);
  const value *name = vm_read(f, op->b_kind, op->b);
  entry *e = hash_find(TG(symbols), name);
  value result;
  value_copy(&result, e && e->u.cell ? e->u.cell : &value_null);
  vm_done(op->b_kind, name ENGINE_CC);
  value_put(vm_temporary(f, op->r), result);
  return op + 1;
}

op *op_WRITE_GLOBAL(op *op ENGINE_DC) {
  frame *f = EG(frame);
  const value *name = vm_read(f, op->b_kind, op->b);
  value *r = vm_temporary(f, op->r);
  r->u.slot = &hash_put(TG(symbols), name ENGINE_CC)->u.cell;
  r->type = T_SLOT;
  vm_done(op->b_kind, name ENGINE_CC);
  return op + 1;
}
