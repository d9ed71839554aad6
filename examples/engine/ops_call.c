/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ops_call.c - calls: a frame is pushed, filled with arguments, entered, left.
 */
#include <string.h>

#include "vm.h"

static void push(function *callee, object *self, uint32_t arguments ENGINE_DC) {
  frame *f = EG(frame), *fresh = (frame *)EG(stack_top);
  uint32_t variables = callee->native ? arguments : callee->variable_count;
  size_t size = callee->native ? (sizeof *fresh + arguments * sizeof(value *) + 15) & ~(size_t)15 : callee->frame_size;
  if (EG(stack_top) + size > EG(stack_end))
    vm_error("calls nested too deep");
  EG(stack_top) += size;
  fresh->function = callee;
  fresh->self = self;
  fresh->argument_count = arguments;
  fresh->pending = f->pending;
  f->pending = fresh;
  for (uint32_t i = 0; i < variables; i++)
    fresh->variables[i] = NULL;
  if (self)
    self->refs++;
}

op *op_INIT_CALL(op *op ENGINE_DC) {
  if (!op->cache) {
    const value *name = vm_read(EG(frame), op->b_kind, op->b);
    entry *e = hash_find_str(TG(functions), name->u.s);
    if (!e)
      vm_error("no function %s", name->u.s->text);
    op->cache = e->u.item;
  }
  push(op->cache, NULL, op->slot ENGINE_CC);
  return op + 1;
}

static function *method(const class *c, const value *name ENGINE_DC) {
  entry *e = hash_find_str(c->methods, name->u.s);
  if (!e)
    vm_error("class %s has no method %s", c->name->text, name->u.s->text);
  return e->u.item;
}

op *op_INIT_METHOD(op *op ENGINE_DC) {
  frame *f = EG(frame);
  const value *v = op->a_kind ? vm_read(f, op->a_kind, op->a) : NULL;
  object *o = v ? (v->type == T_OBJECT ? v->u.o : NULL) : f->self;
  if (!o)
    vm_error("a method of what is no object");
  function *callee = op->cache;
  if (!callee || callee->class != o->class)
    op->cache = callee = method(o->class, vm_read(f, op->b_kind, op->b) ENGINE_CC);
  push(callee, callee->is_static ? NULL : o, op->slot ENGINE_CC);
  if (v)
    vm_done(op->a_kind, v ENGINE_CC);
  return op + 1;
}

op *op_INIT_STATIC(op *op ENGINE_DC) {
  if (!op->cache) {
    frame *f = EG(frame);
    function *callee = method(vm_class(vm_read(f, op->a_kind, op->a) ENGINE_CC), vm_read(f, op->b_kind, op->b) ENGINE_CC);
    if (!callee->is_static)
      vm_error("method %s is not static", callee->name->text);
    op->cache = callee;
  }
  push(op->cache, NULL, op->slot ENGINE_CC);
  return op + 1;
}

op *op_NEW(op *op ENGINE_DC) {
  frame *f = EG(frame);
  if (!op->cache)
    op->cache = vm_class(vm_read(f, op->a_kind, op->a) ENGINE_CC);
  class *c = op->cache;
  object *o = emallocts(sizeof *o + c->property_count * sizeof(value *) ENGINE_CC);
  o->refs = 1;
  o->class = c;
  for (uint32_t i = 0; i < c->property_count; i++) {
    ALLOC_ZVAL_TS(o->properties[i]);
    value_copy(o->properties[i], &c->defaults[i]);
  }
  value *r = vm_temporary(f, op->r);
  r->u.o = o;
  r->type = T_OBJECT;
  if (!c->constructor)
    return vm_jump(op ENGINE_CC);
  push(c->constructor, o, op->slot ENGINE_CC);
  return op + 1;
}

op *op_SEND(op *op ENGINE_DC) {
  frame *f = EG(frame), *callee = f->pending;
  const function *to = callee->function;
  bool wanted = to->native || op->slot < to->parameter_count;
  const value *v = vm_read(f, op->a_kind, op->a);
  if (!wanted) {
    vm_done(op->a_kind, v ENGINE_CC);
  } else if (op->a_kind == K_VARIABLE && to->by_reference >> op->slot & 1) {
    value **from = vm_variable(f, op->a);
    if (!*from)
      ALLOC_INIT_ZVAL_TS(*from);
    SEPARATE_ZVAL_TO_MAKE_IS_REF_TS(from);
    (*from)->refs++;
    callee->variables[op->slot] = *from;
  } else {
    vm_assign(&callee->variables[op->slot], v, op->a_kind ENGINE_CC);
  }
  return op + 1;
}

static op *call_native(op *op, frame *f, frame *callee ENGINE_DC) {
  value result = {.type = T_NULL};
  callee->function->native(callee->variables, callee->argument_count, &result ENGINE_CC);
  for (uint32_t i = 0; i < callee->argument_count; i++)
    value_release(callee->variables[i] ENGINE_CC);
  EG(stack_top) = (char *)callee;
  value_put(vm_temporary(f, op->r), result);
  return op + 1;
}

op *op_CALL(op *op ENGINE_DC) {
  frame *f = EG(frame), *callee = f->pending;
  f->pending = callee->pending;
  if (callee->function->native) {
    if (callee->argument_count < callee->function->parameter_count)
      vm_error("%s takes %u arguments", callee->function->name->text, callee->function->parameter_count);
    return call_native(op, f, callee ENGINE_CC);
  }
  if (__builtin_expect(ENGINE_PEEK(EG(interrupt)), 0))
    vm_interrupted(ENGINE_C);
  callee->pending = NULL;
  callee->caller = f;
  f->resume = op;
  EG(frame) = callee;
  return callee->function->ops;
}

op *op_RETURN(op *op ENGINE_DC) {
  frame *f = EG(frame), *caller = f->caller;
  const value *v = vm_read(f, op->a_kind, op->a);
  value result;
  if (op->a_kind == K_TEMPORARY)
    value_put(&result, *v);
  else
    value_copy(&result, v);
  for (uint32_t i = 0; i < f->function->variable_count; i++)
    if (f->variables[i])
      value_release(f->variables[i] ENGINE_CC);
  if (f->self) {
    value self = {.u.o = f->self, .type = T_OBJECT};
    value_drop(&self ENGINE_CC);
  }
  EG(stack_top) = (char *)f;
  EG(frame) = caller;
  if (!caller) {
    value_drop(&result ENGINE_CC);
    return NULL;
  }
  struct op *resume = caller->resume;
  value_put(vm_temporary(caller, resume->r), result);
  return resume + 1;
}
