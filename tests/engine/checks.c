/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * checks.c - a module that tries the engine's request allocator and its macros for cells, both with the context and without it.
 *
 * check_allocator() returns how many checks failed, and prints their lines.
 */
#include <stdio.h>
#include <string.h>

#include "module.h"

static int failed;
#define CHECK(condition) ((condition) ? (void)0 : (failed++, (void)fprintf(stderr, "checks.c:%d: %s\n", __LINE__, #condition)))

/* The same for either family: SUFFIX is nothing or `ts`, CC nothing or the context. */
#define BLOCKS(suffix, CC)                                                                                                       \
  do {                                                                                                                           \
    char *a = emalloc##suffix(10 CC), *b = ecalloc##suffix(3, 7 CC), *c = estrdup##suffix("text" CC);                            \
    char *d = estrndup##suffix("long text", 4 CC), *kept = pemalloc##suffix(100, true CC), *p = pemalloc##suffix(100, false CC); \
    memset(a, 1, 10);                                                                                                            \
    a = erealloc##suffix(a, 100000 CC);                                                                                          \
    CHECK(a[0] == 1 && a[9] == 1);                                                                                               \
    for (int i = 0; i < 21; i++)                                                                                                 \
      CHECK(b[i] == 0);                                                                                                          \
    CHECK(!strcmp(c, "text") && !strcmp(d, "long"));                                                                             \
    memset(kept, 2, 100);                                                                                                        \
    memset(p, 3, 100);                                                                                                           \
    efree##suffix(a CC);                                                                                                         \
    efree_size##suffix(b, 21 CC);                                                                                                \
    efree##suffix(c CC);                                                                                                         \
    efree##suffix(d CC);                                                                                                         \
    CHECK(kept[99] == 2 && p[99] == 3);                                                                                          \
    pefree##suffix(kept, true CC);                                                                                               \
    pefree##suffix(p, false CC);                                                                                                 \
  } while (0)

/* A cell that two share: who separates gets one of its own, with the same value; a reference stays one. */
#define CELLS(suffix)                                                                                                            \
  do {                                                                                                                           \
    value *cell, *mine, *other;                                                                                                  \
    ALLOC_INIT_ZVAL##suffix(cell);                                                                                               \
    CHECK(cell->type == T_NULL && cell->refs == 1 && !cell->is_ref);                                                             \
    value_put(cell, value_of_int(7));                                                                                            \
    cell->refs = 4;                                                                                                              \
    mine = other = cell;                                                                                                         \
    SEPARATE_ZVAL##suffix(&mine);                                                                                                \
    CHECK(mine != cell && mine->u.i == 7 && mine->refs == 1 && cell->refs == 3);                                                 \
    SEPARATE_ZVAL##suffix(&mine);                                                                                                \
    CHECK(mine->refs == 1);                                                                                                      \
    SEPARATE_ZVAL_TO_MAKE_IS_REF##suffix(&other);                                                                                \
    CHECK(other != cell && other->is_ref && !cell->is_ref && cell->refs == 2);                                                   \
    other->refs = 2;                                                                                                             \
    value *same = other;                                                                                                         \
    SEPARATE_ZVAL_TO_MAKE_IS_REF##suffix(&same);                                                                                 \
    SEPARATE_ZVAL_IF_NOT_REF##suffix(&same);                                                                                     \
    CHECK(same == other && other->refs == 2);                                                                                    \
    value *last = cell;                                                                                                          \
    SEPARATE_ZVAL_IF_NOT_REF##suffix(&last);                                                                                     \
    CHECK(last != cell && cell->refs == 1 && last->u.i == 7);                                                                    \
    FREE_ZVAL##suffix(cell);                                                                                                     \
    FREE_ZVAL##suffix(mine);                                                                                                     \
    FREE_ZVAL##suffix(other);                                                                                                    \
    FREE_ZVAL##suffix(last);                                                                                                     \
  } while (0)

#define NOTHING
static void without_context(void) {
  BLOCKS(, NOTHING);
  CELLS();
}

static void check_allocator(value **arguments, uint32_t count, value *result ENGINE_DC) {
  (void)arguments, (void)count;
  failed = 0;
  BLOCKS(ts, ENGINE_CC);
  CELLS(_TS);
  without_context();
  value_put(result, value_of_int(failed));
}

static bool startup(void) { return true; }
static const builtin functions[] = {{"check_allocator", check_allocator, 0}, {NULL, NULL, 0}};
ENGINE_MODULE(checks) = {ENGINE_MODE, .name = "checks", .startup = startup, .functions = functions};
