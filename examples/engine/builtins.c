/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * builtins.c - functions that scripts call and that are written in C. None of them runs a loop of a benchmark.
 */
#include <math.h>
#include <string.h>

#include "output.h"
#include "vm.h"

void vm_declare(const builtin *list ENGINE_DC) {
  for (; list->name; list++) {
    function *f = ecallocts(1, sizeof *f ENGINE_CC);
    f->name = str_new(list->name, strlen(list->name) ENGINE_CC);
    f->native = list->call;
    f->parameter_count = list->least_arguments;
    hash_put_str(TG(functions), f->name ENGINE_CC)->u.item = f;
  }
}

#define NATIVE(name)                                                                                                             \
  static void name(__attribute__((unused)) value **arguments, __attribute__((unused)) uint32_t count,                            \
                   __attribute__((unused)) value *result ENGINE_DC)

/* The text of an argument; str_release it. */
static str *text_of(value *argument ENGINE_DC) { return value_str(argument ENGINE_CC); }

NATIVE(native_strlen) {
  str *s = text_of(arguments[0] ENGINE_CC);
  value_put(result, value_of_int((int64_t)s->length));
  str_release(s ENGINE_CC);
}

NATIVE(native_count) { value_put(result, value_of_int(arguments[0]->type == T_ARRAY ? (int64_t)arguments[0]->u.h->count : 1)); }

NATIVE(native_dechex) {
  char text[24];
  uint64_t n = (uint64_t)value_int(arguments[0]);
  char *at = text + sizeof text;
  do
    *--at = "0123456789abcdef"[n & 15];
  while (n >>= 4);
  value_put(result, value_of_str(str_new(at, (size_t)(text + sizeof text - at) ENGINE_CC)));
}

NATIVE(native_chr) {
  char c = (char)value_int(arguments[0]);
  value_put(result, value_of_str(str_new(&c, 1 ENGINE_CC)));
}

NATIVE(native_ord) {
  str *s = text_of(arguments[0] ENGINE_CC);
  value_put(result, value_of_int((unsigned char)s->text[0]));
  str_release(s ENGINE_CC);
}

NATIVE(native_substr) {
  str *s = text_of(arguments[0] ENGINE_CC);
  int64_t from = value_int(arguments[1]), n = count > 2 ? value_int(arguments[2]) : INT64_MAX;
  size_t start = from < 0 ? 0 : (uint64_t)from < s->length ? (size_t)from : s->length;
  size_t length = n < 0 ? 0 : (uint64_t)n < s->length - start ? (size_t)n : s->length - start;
  value_put(result, value_of_str(str_new(s->text + start, length ENGINE_CC)));
  str_release(s ENGINE_CC);
}

/* range(first, last): an array of integers. */
NATIVE(native_range) {
  int64_t first = value_int(arguments[0]), last = value_int(arguments[1]);
  if (last - first > 100 * 1000 * 1000)
    vm_error("a range too long");
  hash *h = hash_new(last < first ? 0 : (uint32_t)(last - first + 1) ENGINE_CC);
  for (int64_t i = first; i <= last; i++) {
    value *cell;
    ALLOC_ZVAL_TS(cell);
    value_put(cell, value_of_int(i));
    hash_push(h ENGINE_CC)->u.cell = cell;
  }
  value_put(result, value_of_hash(h));
}

/* fixed(number, digits): with so many digits behind the point. */
NATIVE(native_fixed) {
  char text[400];
  int64_t digits = value_int(arguments[1]);
  int n = snprintf(text, sizeof text, "%.*f", digits < 0 ? 0 : digits > 40 ? 40 : (int)digits, value_double(arguments[0]));
  value_put(result, value_of_str(str_new(text, (size_t)n ENGINE_CC)));
}

NATIVE(native_print) {
  str *s = text_of(arguments[0] ENGINE_CC);
  output_write(s->text, s->length ENGINE_CC);
  str_release(s ENGINE_CC);
  value_put(result, value_of_int(1));
}

NATIVE(native_int) { value_put(result, value_of_int(value_int(arguments[0]))); }
NATIVE(native_floor) { value_put(result, value_of_double(floor(value_double(arguments[0])))); }
NATIVE(native_sqrt) { value_put(result, value_of_double(sqrt(value_double(arguments[0])))); }
NATIVE(native_func_num_args) { value_put(result, value_of_int(EG(frame)->argument_count)); }

NATIVE(native_type) {
  const char *name = value_type_name(arguments[0]);
  value_put(result, value_of_str(str_new(name, strlen(name) ENGINE_CC)));
}

NATIVE(native_function_exists) {
  str *s = text_of(arguments[0] ENGINE_CC);
  value_put(result, value_of_bool(hash_find_str(TG(functions), s) != NULL));
  str_release(s ENGINE_CC);
}

const builtin engine_builtins[] = {
    {"strlen", native_strlen, 1},
    {"count", native_count, 1},
    {"dechex", native_dechex, 1},
    {"chr", native_chr, 1},
    {"ord", native_ord, 1},
    {"substr", native_substr, 2},
    {"range", native_range, 2},
    {"fixed", native_fixed, 2},
    {"print", native_print, 1},
    {"int", native_int, 1},
    {"floor", native_floor, 1},
    {"sqrt", native_sqrt, 1},
    {"type", native_type, 1},
    {"func_num_args", native_func_num_args, 0},
    {"function_exists", native_function_exists, 1},
    {NULL, NULL, 0},
};
