// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// second.c - a second engine, in a library with a copy of libfreehold-tsrm of its own: see two_engines.c.
#include "engine.h"

FH_GLOBALS_DEFINE(test);
FH_RESOURCE_DEFINE(test, executor);
FH_RESOURCE_DEFINE(test, compiler);

#define PUBLIC __attribute__((visibility("default")))
PUBLIC int second_start(void) {
  int error = fh_globals_startup(ENGINE);
  if (!error && !FH_RESOURCE_REGISTER(test, executor, sizeof(struct executor_globals), NULL, NULL))
    error = fh_globals_error();
  return error;
}
PUBLIC long second_call(void) {
  if (!fh_globals_thread_init(ENGINE))
    return -1;
  FH_GLOBALS_FETCH(test);
  return ++EG(depth);
}
PUBLIC int second_stop(void) { return fh_globals_shutdown(ENGINE); }
