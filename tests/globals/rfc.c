// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rfc.c - code of the old kind: the context as a parameter by macros, fetched where it is not given, globals declared by
// TSRMG_DH, _D and _ALLOCATE. The same text in every mode.
#include "freehold/tsrm.h"

#include "threads.h"

typedef struct {
  long calls;
} zend_counter_globals;

TSRMG_DH(zend_counter_globals *, counter_globals_id);
#define COUNTER_G(v) TSRMG(counter_globals_id, zend_counter_globals *, v)
TSRMG_D(zend_counter_globals *, counter_globals_id);

static void construct(void *globals) { ((zend_counter_globals *)globals)->calls = 10; }

static long add(long n TSRMLS_DC) {
  COUNTER_G(calls) += n;
  return COUNTER_G(calls);
}

static long get(TSRMLS_D) { return COUNTER_G(calls); }

static long callback(void *context) {
  TSRMLS_FETCH_FROM_CTX(context);
  return add(1 TSRMLS_CC) + get(TSRMLS_C);
}

static void *run(void *unused) {
  TSRMLS_INIT();
  TSRMLS_FETCH();
  void *context = NULL;
  TSRMLS_SET_CTX(context);
  CHECK(get(TSRMLS_C) == 10);
  for (int i = 1; i <= 1000; ++i)
    CHECK(callback(context) == 2 * (10 + i));
  CHECK(TSRMG_BULK(counter_globals_id, zend_counter_globals *)->calls == 1010);
  return unused;
}

int main(void) {
#ifdef PASS_TSRMLS
  CHECK(FH_GLOBALS_HAS_CONTEXT);
#else
  CHECK(!FH_GLOBALS_HAS_CONTEXT);
#endif
  CHECK(tsrm_startup(1, 1, 0, NULL));
  CHECK(TSRMG_ALLOCATE(counter_globals_id, sizeof(zend_counter_globals), construct, NULL) == 1 && counter_globals_id == 1);
  in_threads(4, run);
  run(NULL);
  tsrm_shutdown();
  return 0;
}
