// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// module.c - a module of the engine, of the shape that PHP's extensions have: its globals, an accessor, a constructor. It never
// unregisters: being unloaded must do.
#include "module.h"

FH_MODULE_DECLARE(test, counter);
FH_MODULE_DEFINE(test, counter);
struct counter_globals {
  long calls;
  void *self;
  char name[MODULE_BYTES];
};
#define COUNTER_G(v) FH_MODULE_G(test, counter, struct counter_globals, v)

static int construct(void *globals, void *argument) {
  (void)argument;
  ((struct counter_globals *)globals)->self = globals;
  host_note(1);
  return 0;
}

static void destroy(void *globals, void *argument) {
  (void)argument;
  if (((struct counter_globals *)globals)->self == globals)
    host_note(0);
}

__attribute__((visibility("default"))) int module_load(void) {
  return FH_MODULE_REGISTER(test, counter, sizeof(struct counter_globals), construct, destroy);
}

__attribute__((visibility("default"))) long module_call(FH_GLOBALS_D) {
  if (COUNTER_G(self) != (void *)&COUNTER_G(calls))
    return -1;
  COUNTER_G(name)[0] = (char)EG(depth);
  EG(depth)++;
  return ++COUNTER_G(calls);
}
