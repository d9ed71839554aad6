/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ops_arithmetic.c - operators: two values in, one out. Integers that overflow become doubles.
 */
#include <math.h>
#include <string.h>

#include "vm.h"

static void arithmetic_slow(value *r, const value *a, const value *b, int code) {
  value x = value_number(a), y = value_number(b);
  if (x.type == T_INT && y.type == T_INT) {
    int64_t i;
    bool overflow = code == OP_ADD   ? __builtin_add_overflow(x.u.i, y.u.i, &i)
                    : code == OP_SUB ? __builtin_sub_overflow(x.u.i, y.u.i, &i)
                                     : __builtin_mul_overflow(x.u.i, y.u.i, &i);
    if (!overflow) {
      value_put(r, value_of_int(i));
      return;
    }
  }
  double p = value_double(&x), q = value_double(&y);
  value_put(r, value_of_double(code == OP_ADD ? p + q : code == OP_SUB ? p - q : p * q));
}

/* NAME(r, a, b): fast for two integers or two doubles. */
#define ARITHMETIC(NAME, sign, code, overflows)                                                                                  \
  static inline void NAME(value *r, const value *a, const value *b ENGINE_DC) {                                                  \
    int64_t i;                                                                                                                   \
    if (a->type == T_INT && b->type == T_INT && !overflows(a->u.i, b->u.i, &i))                                                  \
      value_put(r, value_of_int(i));                                                                                             \
    else if (a->type == T_DOUBLE && b->type == T_DOUBLE)                                                                         \
      value_put(r, value_of_double(a->u.d sign b->u.d));                                                                         \
    else                                                                                                                         \
      arithmetic_slow(r, a, b, code);                                                                                            \
  }
ARITHMETIC(add, +, OP_ADD, __builtin_add_overflow)
ARITHMETIC(subtract, -, OP_SUB, __builtin_sub_overflow)
ARITHMETIC(multiply, *, OP_MUL, __builtin_mul_overflow)

static void divide(value *r, const value *a, const value *b ENGINE_DC) {
  value x = value_number(a), y = value_number(b);
  if (value_double(&y) == 0)
    vm_error("division by zero");
  if (x.type == T_INT && y.type == T_INT && y.u.i != -1 && x.u.i % y.u.i == 0)
    value_put(r, value_of_int(x.u.i / y.u.i));
  else
    value_put(r, value_of_double(value_double(&x) / value_double(&y)));
}

static void modulo(value *r, const value *a, const value *b ENGINE_DC) {
  int64_t x = value_int(a), y = value_int(b);
  if (y == 0)
    vm_error("division by zero");
  value_put(r, value_of_int(y == -1 ? 0 : x % y));
}

static inline uint64_t bits(const value *v) { return (uint64_t)value_int(v); }

#define BITWISE(NAME, expression)                                                                                                \
  static void NAME(value *r, const value *a, const value *b ENGINE_DC) {                                                         \
    uint64_t x = bits(a), y = bits(b);                                                                                           \
    value_put(r, value_of_int((int64_t)(expression)));                                                                           \
  }
BITWISE(shift_left, y < 64 ? x << y : 0)
BITWISE(shift_right, (uint64_t)((int64_t)x >> (y < 64 ? y : 63)))
BITWISE(bit_and, x &y)
BITWISE(bit_or, x | y)
BITWISE(bit_xor, x ^ y)

static void concatenate(value *r, const value *a, const value *b ENGINE_DC) {
  str *x = value_str(a ENGINE_CC), *y = value_str(b ENGINE_CC);
  str *joined = str_room(x->length + y->length ENGINE_CC);
  memcpy(joined->text, x->text, x->length);
  memcpy(joined->text + x->length, y->text, y->length + 1);
  str_release(x ENGINE_CC);
  str_release(y ENGINE_CC);
  value_put(r, value_of_str(joined));
}

#define COMPARISON(NAME, sign)                                                                                                   \
  static inline void NAME(value *r, const value *a, const value *b ENGINE_DC) {                                                  \
    bool holds;                                                                                                                  \
    if (a->type == T_INT && b->type == T_INT)                                                                                    \
      holds = a->u.i sign b->u.i;                                                                                                \
    else if (a->type == T_DOUBLE && b->type == T_DOUBLE)                                                                         \
      holds = a->u.d sign b->u.d;                                                                                                \
    else                                                                                                                         \
      holds = value_compare(a, b) sign 0;                                                                                        \
    value_put(r, value_of_bool(holds));                                                                                          \
  }
COMPARISON(equal, ==)
COMPARISON(not_equal, !=)
COMPARISON(less, <)
COMPARISON(less_equal, <=)

static void identical(value *r, const value *a, const value *b ENGINE_DC) { value_put(r, value_of_bool(value_identical(a, b))); }
static void not_identical(value *r, const value *a, const value *b ENGINE_DC) {
  value_put(r, value_of_bool(!value_identical(a, b)));
}

#define ENGINE_OPERATOR(NAME, compute)                                                                                           \
  op *op_##NAME(op *op ENGINE_DC) {                                                                                              \
    frame *f = EG(frame);                                                                                                        \
    const value *a = vm_read(f, op->a_kind, op->a), *b = vm_read(f, op->b_kind, op->b);                                          \
    compute(vm_temporary(f, op->r), a, b ENGINE_CC);                                                                             \
    vm_done(op->a_kind, a ENGINE_CC);                                                                                            \
    vm_done(op->b_kind, b ENGINE_CC);                                                                                            \
    return op + 1;                                                                                                               \
  }
#include "operators.def"
#undef ENGINE_OPERATOR

vm_operator vm_binary(int code) {
  switch (code) {
#define ENGINE_OPERATOR(NAME, compute)                                                                                           \
  case OP_##NAME:                                                                                                                \
    return compute;
#include "operators.def"
#undef ENGINE_OPERATOR
  default:
    return NULL;
  }
}

/* r = whether the answer, an expression of a, is true. */
#define TEST(NAME, answer)                                                                                                       \
  op *op_##NAME(op *op ENGINE_DC) {                                                                                              \
    frame *f = EG(frame);                                                                                                        \
    const value *a = vm_read(f, op->a_kind, op->a);                                                                              \
    bool result = answer;                                                                                                        \
    vm_done(op->a_kind, a ENGINE_CC);                                                                                            \
    value_put(vm_temporary(f, op->r), value_of_bool(result));                                                                    \
    return op + 1;                                                                                                               \
  }
TEST(NOT, !value_true(a))
TEST(BOOL, value_true(a))
TEST(ISSET, a->type != T_NULL)

op *op_EMPTY(op *op ENGINE_DC) { return op_NOT(op ENGINE_CC); }

op *op_COPY(op *op ENGINE_DC) {
  frame *f = EG(frame);
  const value *a = vm_read(f, op->a_kind, op->a);
  if (op->a_kind == K_TEMPORARY)
    value_put(vm_temporary(f, op->r), *a);
  else
    value_copy(vm_temporary(f, op->r), a);
  return op + 1;
}

op *op_FREE(op *op ENGINE_DC) {
  value_drop(vm_temporary(EG(frame), op->a) ENGINE_CC);
  return op + 1;
}
