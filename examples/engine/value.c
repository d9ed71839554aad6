/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * value.c - life of values and cells, conversions, comparisons.
 */
#include "value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "code.h"
#include "hash.h"

const value value_null = {.type = T_NULL, .refs = 1};

void value_share(value *v) {
  if (v->type == T_STRING)
    v->u.s->refs++;
  else if (v->type == T_ARRAY)
    v->u.h->refs++;
  else
    v->u.o->refs++;
}

static void object_release(object *o ENGINE_DC) {
  if (--o->refs)
    return;
  for (uint32_t i = 0; i < o->class->property_count; i++)
    value_release(o->properties[i] ENGINE_CC);
  efreets(o ENGINE_CC);
}

void value_destroy(value *v ENGINE_DC) {
  if (v->type == T_STRING)
    str_release(v->u.s ENGINE_CC);
  else if (v->type == T_ARRAY)
    hash_release(v->u.h ENGINE_CC);
  else
    object_release(v->u.o ENGINE_CC);
}

void value_release(value *cell ENGINE_DC) {
  if (--cell->refs == 0) {
    value_drop(cell ENGINE_CC);
    FREE_ZVAL_TS(cell);
  } else if (cell->refs == 1) {
    cell->is_ref = false;
  }
}

bool value_true(const value *v) {
  switch (v->type) {
  case T_BOOL:
  case T_INT:
    return v->u.i != 0;
  case T_DOUBLE:
    return v->u.d != 0;
  case T_STRING:
    return v->u.s->length > 1 || (v->u.s->length == 1 && v->u.s->text[0] != '0');
  case T_ARRAY:
    return v->u.h->count != 0;
  case T_OBJECT:
    return true;
  default:
    return false;
  }
}

value value_number(const value *v) {
  char *end;
  switch (v->type) {
  case T_INT:
  case T_DOUBLE:
    return *v;
  case T_BOOL:
    return value_of_int(v->u.i);
  case T_STRING: {
    int64_t i = strtoll(v->u.s->text, &end, 10);
    return *end == '.' || *end == 'e' || *end == 'E' ? value_of_double(strtod(v->u.s->text, NULL)) : value_of_int(i);
  }
  case T_ARRAY:
    return value_of_int(v->u.h->count != 0);
  case T_OBJECT:
    return value_of_int(1);
  default:
    return value_of_int(0);
  }
}

int64_t value_int(const value *v) {
  if (v->type == T_INT)
    return v->u.i;
  value n = value_number(v);
  if (n.type == T_INT)
    return n.u.i;
  return n.u.d > -9.2e18 && n.u.d < 9.2e18 ? (int64_t)n.u.d : 0;
}

double value_double(const value *v) {
  if (v->type == T_DOUBLE)
    return v->u.d;
  value n = value_number(v);
  return n.type == T_INT ? (double)n.u.i : n.u.d;
}

str *value_str(const value *v ENGINE_DC) {
  char text[64];
  switch (v->type) {
  case T_STRING:
    v->u.s->refs++;
    return v->u.s;
  case T_INT: {
    char *at = text + sizeof text;
    uint64_t rest = v->u.i < 0 ? -(uint64_t)v->u.i : (uint64_t)v->u.i;
    do
      *--at = (char)('0' + rest % 10);
    while (rest /= 10);
    if (v->u.i < 0)
      *--at = '-';
    return str_new(at, (size_t)(text + sizeof text - at) ENGINE_CC);
  }
  case T_DOUBLE:
    return str_new(text, (size_t)snprintf(text, sizeof text, "%.14g", v->u.d) ENGINE_CC);
  case T_BOOL:
    return str_new("1", v->u.i != 0 ENGINE_CC);
  case T_ARRAY:
    return str_new("Array", 5 ENGINE_CC);
  case T_OBJECT:
    return str_new("Object", 6 ENGINE_CC);
  default:
    return str_new("", 0 ENGINE_CC);
  }
}

static int compare_text(const str *a, const str *b) {
  size_t shorter = a->length < b->length ? a->length : b->length;
  int order = memcmp(a->text, b->text, shorter);
  return order ? order : (a->length > b->length) - (a->length < b->length);
}

int value_compare(const value *a, const value *b) {
  if (a->type == T_STRING && b->type == T_STRING)
    return compare_text(a->u.s, b->u.s);
  if (a->type == T_NULL || b->type == T_NULL || a->type == T_BOOL || b->type == T_BOOL)
    return value_true(a) - value_true(b);
  if (a->type == T_ARRAY && b->type == T_ARRAY)
    return (a->u.h->count > b->u.h->count) - (a->u.h->count < b->u.h->count);
  if (a->type == T_OBJECT && b->type == T_OBJECT)
    return a->u.o != b->u.o;
  value x = value_number(a), y = value_number(b);
  if (x.type == T_INT && y.type == T_INT)
    return (x.u.i > y.u.i) - (x.u.i < y.u.i);
  double p = value_double(&x), q = value_double(&y);
  return (p > q) - (p < q);
}

bool value_identical(const value *a, const value *b) {
  if (a->type != b->type)
    return false;
  switch (a->type) {
  case T_NULL:
    return true;
  case T_DOUBLE:
    return a->u.d == b->u.d;
  case T_STRING:
    return str_equal(a->u.s, b->u.s);
  default:
    return a->u.i == b->u.i;
  }
}

const char *value_type_name(const value *v) {
  static const char *const names[] = {"null", "bool", "int", "double", "slot", "iterator", "string", "array", "object"};
  return names[v->type];
}
