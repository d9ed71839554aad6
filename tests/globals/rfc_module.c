// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rfc_module.c - a module of rfc.c's that was written with the RFC's macros: globals of its own, and the engine's.
#include "rfc.h"

TSRMG_DH(zend_counter_globals *, module_globals_id);
TSRMG_D(zend_counter_globals *, module_globals_id);
#define MODULE_G(v) TSRMG(module_globals_id, zend_counter_globals *, v)

static void construct(void *globals) {
  zend_counter_globals *own = globals;
  own->calls = 5;
  own->self = own;
}

TSRM_API int rfc_load(void) { return TSRMG_ALLOCATE(module_globals_id, sizeof(zend_counter_globals), construct, NULL); }

TSRM_API long rfc_call(TSRMLS_D) {
  if (MODULE_G(self) != (void *)&MODULE_G(calls) || COUNTER_G(self) != (void *)&COUNTER_G(calls))
    return -1;
  return ++MODULE_G(calls) * 1000 + ++COUNTER_G(calls);
}

TSRM_API void rfc_unload(void) { ts_free_id(module_globals_id); }
