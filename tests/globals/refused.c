// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// refused.c - a second engine that wants %gs and was refused at start: every call of it fails with the reason, and touches
// nothing of the engine that has %gs, whose threads go on. Both use one copy of the library. Mode gs.
#include "engine.h"
#include "first_layout.h"

#include "threads.h"

FH_GLOBALS_DEFINE(test);
FH_RESOURCE_DEFINE(test, executor);
FH_RESOURCE_DEFINE(test, compiler);
FH_GLOBALS_DECLARE(first);
FH_GLOBALS_DEFINE(first);
FH_RESOURCE_DECLARE(first, executor);
FH_RESOURCE_DEFINE(first, executor);
#define FIRST (&fh_globals_first)
#define FIRST_G(v) FH_G(first, executor, struct executor_globals, v)

static int Destroyed;
static void destroy(void *globals, void *argument) {
  (void)globals, (void)argument;
  ++Destroyed;
}

static bool refused(int error) { return fh_globals_error() == error; }

static void *use_second(void *unused) {
  CHECK(fh_globals_thread_init(ENGINE) == NULL && refused(FH_GLOBALS_EGS));
  CHECK(fh_globals_fetch(ENGINE) == NULL && refused(FH_GLOBALS_EGS));
  CHECK(fh_globals_self(ENGINE) == NULL);
  CHECK(fh_globals_get(ENGINE, 1) == NULL && refused(FH_GLOBALS_EGS));
  CHECK(fh_globals_snapshot(ENGINE) == NULL && refused(FH_GLOBALS_EGS));
  CHECK(fh_globals_block_new(ENGINE) == NULL && refused(FH_GLOBALS_EGS));
  CHECK(fh_globals_switch(ENGINE, NULL, NULL) == FH_GLOBALS_EGS);
  CHECK(FH_RESOURCE_REGISTER(test, executor, sizeof(struct executor_globals), NULL, NULL) == 0 && refused(FH_GLOBALS_EGS));
  CHECK(fh_globals_thread_exit(ENGINE) == 0 && fh_globals_shutdown(ENGINE) == 0); // there is nothing to end
  return unused;
}

static void *use_both(void *unused) {
  use_second(NULL); // of a thread without any block
  fh_globals_block_t *block = fh_globals_thread_init(FIRST);
  CHECK(block);
  FIRST_G(depth) = 7;
  use_second(NULL);
  CHECK(fh_globals_self(FIRST) == block && FIRST_G(depth) == 7);
  return unused;
}

int main(void) {
  CHECK(fh_globals_startup(FIRST) == 0);
  CHECK(FH_RESOURCE_REGISTER(first, executor, sizeof(struct executor_globals), NULL, destroy) == 1);
  CHECK(fh_globals_startup(ENGINE) == FH_GLOBALS_EGS);
  use_both(NULL);
  CHECK(Destroyed == 0);
  in_thread(use_both, NULL);
  CHECK(Destroyed == 1 && fh_globals_shutdown(FIRST) == 0 && Destroyed == 2);
  // It is free now.
  CHECK(fh_globals_startup(ENGINE) == 0 && fh_globals_thread_init(ENGINE) && fh_globals_shutdown(ENGINE) == 0);
  return 0;
}
