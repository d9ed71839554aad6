/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * tally.c - a module of the shape that extensions have: globals with a constructor, an accessor macro, functions for scripts.
 *
 *   tally(name)     counts one more of that name in this request, and returns how many that are
 *   tally_total()   of all names
 */
#include "module.h"

typedef struct tally_globals {
  int64_t step;  /* what one call adds: set by the constructor, once a thread */
  int64_t total; /* in this request */
  hash *counts;  /* likewise; the request's memory */
} tally_globals;

ENGINE_MODULE_GLOBALS(tally, tally_globals);
#define TALLY_G(v) ENGINE_MODULE_G(tally, tally_globals, v)

static int construct(void *globals, void *argument) {
  (void)argument;
  ((tally_globals *)globals)->step = 1;
  return 0;
}

static bool startup(void) { return ENGINE_MODULE_REGISTER(tally, tally_globals, construct, NULL); }

static void request_begin(ENGINE_D) {
  TALLY_G(total) = 0;
  TALLY_G(counts) = hash_new(0 ENGINE_CC);
}

static void tally(value **arguments, uint32_t count, value *result ENGINE_DC) {
  entry *e = hash_put(TALLY_G(counts), arguments[0] ENGINE_CC);
  if (!e->u.cell) {
    ALLOC_ZVAL_TS(e->u.cell);
    value_put(e->u.cell, value_of_int(0));
  }
  e->u.cell->u.i += TALLY_G(step);
  TALLY_G(total) += TALLY_G(step);
  value_put(result, *e->u.cell);
}

static void tally_total(value **arguments, uint32_t count, value *result ENGINE_DC) {
  value_put(result, value_of_int(TALLY_G(total)));
}

static const builtin functions[] = {{"tally", tally, 1}, {"tally_total", tally_total, 0}, {NULL, NULL, 0}};

ENGINE_MODULE(tally) = {ENGINE_MODE, .name = "tally", .startup = startup, .request_begin = request_begin, .functions = functions};
