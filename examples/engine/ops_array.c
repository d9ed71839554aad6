/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ops_array.c - arrays: elements read and written, arrays made and walked.
 */
#include "vm.h"

static void read_element(value *r, const value *base, const value *key ENGINE_DC) {
  if (base->type == T_ARRAY) {
    entry *e = hash_find(base->u.h, key);
    if (e && e->u.cell)
      value_copy(r, e->u.cell);
    else
      value_put(r, value_null);
  } else if (base->type == T_STRING) {
    int64_t at = value_int(key);
    if (at < 0 || (uint64_t)at >= base->u.s->length)
      value_put(r, value_null);
    else
      value_put(r, value_of_str(str_new(base->u.s->text + at, 1 ENGINE_CC)));
  } else if (base->type == T_OBJECT) {
    vm_error("an object has no elements");
  } else {
    value_put(r, value_null);
  }
}

op *op_READ_DIM(op *op ENGINE_DC) {
  frame *f = EG(frame);
  const value *base = vm_read(f, op->a_kind, op->a), *key = vm_read(f, op->b_kind, op->b);
  read_element(vm_temporary(f, op->r), base, key ENGINE_CC);
  vm_done(op->a_kind, base ENGINE_CC);
  vm_done(op->b_kind, key ENGINE_CC);
  return op + 1;
}

hash *vm_array_for_writing(value **slot ENGINE_DC) {
  if (!*slot)
    ALLOC_INIT_ZVAL_TS(*slot);
  SEPARATE_ZVAL_IF_NOT_REF_TS(slot);
  value *cell = *slot;
  if (cell->type == T_NULL)
    value_put(cell, value_of_hash(hash_new(0 ENGINE_CC)));
  if (cell->type != T_ARRAY)
    vm_error("a value of type %s has no elements that could be written", value_type_name(cell));
  hash *h = cell->u.h;
  if (h->refs > 1) {
    cell->u.h = hash_duplicate(h ENGINE_CC);
    h->refs--;
  }
  return cell->u.h;
}

static void put_slot(value *r, value **slot) {
  r->u.slot = slot;
  r->type = T_SLOT;
}

op *op_WRITE_DIM(op *op ENGINE_DC) {
  frame *f = EG(frame);
  hash *h = vm_array_for_writing(vm_place(f, op->a_kind, op->a) ENGINE_CC);
  const value *key = vm_read(f, op->b_kind, op->b);
  entry *e = hash_put(h, key ENGINE_CC);
  vm_done(op->b_kind, key ENGINE_CC);
  put_slot(vm_temporary(f, op->r), &e->u.cell);
  return op + 1;
}

op *op_PUSH_DIM(op *op ENGINE_DC) {
  frame *f = EG(frame);
  hash *h = vm_array_for_writing(vm_place(f, op->a_kind, op->a) ENGINE_CC);
  put_slot(vm_temporary(f, op->r), &hash_push(h ENGINE_CC)->u.cell);
  return op + 1;
}

op *op_UNSET_DIM(op *op ENGINE_DC) {
  frame *f = EG(frame);
  hash *h = vm_array_for_writing(vm_place(f, op->a_kind, op->a) ENGINE_CC);
  const value *key = vm_read(f, op->b_kind, op->b);
  entry *e = hash_find(h, key);
  if (e)
    hash_remove(h, e ENGINE_CC);
  vm_done(op->b_kind, key ENGINE_CC);
  return op + 1;
}

op *op_NEW_ARRAY(op *op ENGINE_DC) {
  value_put(vm_temporary(EG(frame), op->r), value_of_hash(hash_new(0 ENGINE_CC)));
  return op + 1;
}

op *op_ADD_ELEMENT(op *op ENGINE_DC) {
  frame *f = EG(frame);
  hash *h = vm_temporary(f, op->r)->u.h;
  const value *element = vm_read(f, op->a_kind, op->a), *key = vm_read(f, op->b_kind, op->b);
  entry *e = op->b_kind ? hash_put(h, key ENGINE_CC) : hash_push(h ENGINE_CC);
  vm_assign(&e->u.cell, element, op->a_kind ENGINE_CC);
  vm_done(op->b_kind, key ENGINE_CC);
  return op + 1;
}

/* The iterator holds the array: changes made in the loop are made to another one. */
op *op_EACH_BEGIN(op *op ENGINE_DC) {
  frame *f = EG(frame);
  const value *subject = vm_read(f, op->a_kind, op->a);
  value *iterator = vm_temporary(f, op->r);
  if (subject->type != T_ARRAY)
    vm_error("foreach over a value of type %s", value_type_name(subject));
  iterator->u.h = subject->u.h;
  iterator->refs = 0;
  iterator->type = T_ITERATOR;
  if (op->a_kind != K_TEMPORARY)
    iterator->u.h->refs++;
  return op + 1;
}

op *op_EACH_NEXT(op *op ENGINE_DC) {
  frame *f = EG(frame);
  value *iterator = vm_temporary(f, op->a);
  hash *h = iterator->u.h;
  while (iterator->refs < h->used && h->entries[iterator->refs].gone)
    iterator->refs++;
  if (iterator->refs == h->used)
    return vm_jump(op ENGINE_CC);
  entry *e = &h->entries[iterator->refs++];
  vm_assign(vm_variable(f, op->b), e->u.cell ? e->u.cell : &value_null, K_VARIABLE ENGINE_CC);
  if (op->r_kind) {
    value key = value_of_int((int64_t)e->h);
    if (e->key) {
      key = value_of_str(e->key);
      e->key->refs++;
    }
    vm_assign(vm_variable(f, op->r), &key, K_TEMPORARY ENGINE_CC);
  }
  return op + 1;
}

op *op_EACH_END(op *op ENGINE_DC) {
  hash_release(vm_temporary(EG(frame), op->a)->u.h ENGINE_CC);
  return op + 1;
}
