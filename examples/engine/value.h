/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * value.h - values, cells and strings.
 *
 * A value is a type and a payload. It lives in one of two places: as it is, in a temporary of a frame, which owns it; or in a
 * cell, a block of its own with a count of the variables, elements and properties that share it. Who wants to change a cell that
 * others share separates first (SEPARATE_ZVAL), unless it is a reference: then all who share it see the change.
 * Payloads (strings, arrays, objects) have a count too, of the values that hold them.
 */
#ifndef ENGINE_VALUE_H
#define ENGINE_VALUE_H

#include "alloc.h"

enum value_type {
  T_NULL,
  T_BOOL,
  T_INT,
  T_DOUBLE,
  T_SLOT,     /* a place for a cell; temporaries only */
  T_ITERATOR, /* of foreach: an array and, in refs, a position; temporaries only */
  T_STRING,   /* from here on the payload is counted */
  T_ARRAY,
  T_OBJECT,
};

struct value {
  union {
    int64_t i; /* of T_INT and T_BOOL */
    double d;
    str *s;
    hash *h;
    object *o;
    value **slot;
  } u;
  uint32_t refs; /* of a cell: who shares it */
  uint8_t type;
  bool is_ref; /* of a cell: separating it is wrong */
};
_Static_assert(sizeof(value) == 16, "a value is two words");

struct str {
  uint32_t refs;
  uint64_t hash; /* 0: not computed yet */
  size_t length, room;
  char text[]; /* with a NUL behind it, which does not count */
};

struct object {
  uint32_t refs;
  class *class;
  value *properties[]; /* class->property_count cells */
};

extern const value value_null; /* what an undefined variable reads as; never in a cell's place */

/* ---- payloads ---- */
void value_destroy(value *v ENGINE_DC); /* drops the payload, which must be counted */
static inline void value_drop(value *v ENGINE_DC) {
  if (v->type >= T_STRING)
    value_destroy(v ENGINE_CC);
}
void value_share(value *v); /* one more value holds v's payload */
static inline void value_copy(value *to, const value *from) {
  to->u = from->u;
  to->type = from->type;
  if (to->type >= T_STRING)
    value_share(to);
}

/* ---- cells ---- */
#define ENGINE_ALLOC_CELL(z, allocate) ((z) = (allocate), (z)->refs = 1, (z)->is_ref = false)
#define ENGINE_SEPARATE(pz, ALLOC)                                                                                               \
  do {                                                                                                                           \
    value *separate_old = *(pz);                                                                                                 \
    if (separate_old->refs > 1) {                                                                                                \
      separate_old->refs--;                                                                                                      \
      ALLOC(*(pz));                                                                                                              \
      value_copy(*(pz), separate_old);                                                                                           \
    }                                                                                                                            \
  } while (0)
#define ENGINE_IF_NOT_REF(pz, SEPARATE)                                                                                          \
  do {                                                                                                                           \
    if (!(*(pz))->is_ref)                                                                                                        \
      SEPARATE(pz);                                                                                                              \
  } while (0)
#define ENGINE_TO_REF(pz, SEPARATE)                                                                                              \
  do {                                                                                                                           \
    if (!(*(pz))->is_ref) {                                                                                                      \
      SEPARATE(pz);                                                                                                              \
      (*(pz))->is_ref = true;                                                                                                    \
    }                                                                                                                            \
  } while (0)

/* Without a context: each allocation looks it up. For code that is called without one. */
#define ALLOC_ZVAL(z) ENGINE_ALLOC_CELL(z, emalloc(sizeof(value)))
#define ALLOC_INIT_ZVAL(z) (ALLOC_ZVAL(z), (z)->type = T_NULL)
#define FREE_ZVAL(z) efree_size(z, sizeof(value))
#define SEPARATE_ZVAL(pz) ENGINE_SEPARATE(pz, ALLOC_ZVAL)
#define SEPARATE_ZVAL_IF_NOT_REF(pz) ENGINE_IF_NOT_REF(pz, SEPARATE_ZVAL)
#define SEPARATE_ZVAL_TO_MAKE_IS_REF(pz) ENGINE_TO_REF(pz, SEPARATE_ZVAL)
/* With the context of the function around. */
#define ALLOC_ZVAL_TS(z) ENGINE_ALLOC_CELL(z, emallocts(sizeof(value) ENGINE_CC))
#define ALLOC_INIT_ZVAL_TS(z) (ALLOC_ZVAL_TS(z), (z)->type = T_NULL)
#define FREE_ZVAL_TS(z) efree_sizets(z, sizeof(value) ENGINE_CC)
#define SEPARATE_ZVAL_TS(pz) ENGINE_SEPARATE(pz, ALLOC_ZVAL_TS)
#define SEPARATE_ZVAL_IF_NOT_REF_TS(pz) ENGINE_IF_NOT_REF(pz, SEPARATE_ZVAL_TS)
#define SEPARATE_ZVAL_TO_MAKE_IS_REF_TS(pz) ENGINE_TO_REF(pz, SEPARATE_ZVAL_TS)

void value_release(value *cell ENGINE_DC); /* one sharer less */

/* ---- conversions; v keeps its payload ---- */
bool value_true(const value *v);
int64_t value_int(const value *v);
double value_double(const value *v);
str *value_str(const value *v ENGINE_DC); /* one reference is the caller's */
/* The numeric value of v as T_INT or T_DOUBLE. */
value value_number(const value *v);
int value_compare(const value *a, const value *b);
bool value_identical(const value *a, const value *b);
const char *value_type_name(const value *v);

/* ---- strings ---- */
str *str_new(const char *text, size_t length ENGINE_DC);
str *str_room(size_t length ENGINE_DC);                             /* text is the caller's to fill, NUL included */
str *str_append(str *s, const char *text, size_t length ENGINE_DC); /* takes s; in place if nobody else holds it */
void str_release(str *s ENGINE_DC);
uint64_t str_hash_slow(str *s);
static inline uint64_t str_hash(str *s) { return s->hash ? s->hash : str_hash_slow(s); }
bool str_equal(const str *a, const str *b);

static inline value value_of_int(int64_t i) { return (value){.u.i = i, .type = T_INT}; }
static inline value value_of_double(double d) { return (value){.u.d = d, .type = T_DOUBLE}; }
static inline value value_of_bool(bool b) { return (value){.u.i = b, .type = T_BOOL}; }
static inline value value_of_str(str *s) { return (value){.u.s = s, .type = T_STRING}; }
static inline value value_of_hash(hash *h) { return (value){.u.h = h, .type = T_ARRAY}; }

/* A value becomes what it is in *to, which is a temporary or a new cell: counts are left alone. */
static inline void value_put(value *to, value from) {
  to->u = from.u;
  to->type = from.type;
}

#endif
