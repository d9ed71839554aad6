// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rfc.h - the globals of rfc.c, which its module reaches too.
#ifndef TESTS_GLOBALS_RFC_H
#define TESTS_GLOBALS_RFC_H

#include "freehold/tsrm.h"

typedef struct {
  long calls;
  char more[500];
  void *self;
} zend_counter_globals;

TSRMG_DH(zend_counter_globals *, counter_globals_id);
#define COUNTER_G(v) TSRMG(counter_globals_id, zend_counter_globals *, v)

typedef int rfc_load_t(void);      // registers the module's own: its id
typedef long rfc_call_t(TSRMLS_D); // how often the calling thread called it, by both
typedef void rfc_unload_t(void);

#endif
