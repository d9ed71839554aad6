// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// checked.c - compiled with FREEHOLD_GLOBALS_CHECKED: who is registered notices nothing; a thread that uses what is not its own
// is stopped with a line that says whose it is, in every mode.
#include "engine.h"

#include "threads.h"

#if FH_GLOBALS_MODE == FH_GLOBALS_GS
#include "gs_base.h"
#endif

FH_GLOBALS_DEFINE(test);
FH_RESOURCE_DEFINE(test, executor);
FH_RESOURCE_DEFINE(test, compiler);
FH_MODULE_DECLARE(test, late);
FH_MODULE_DEFINE(test, late);
struct late_globals {
  long value;
};
#define LATE(v) FH_MODULE_G(test, late, struct late_globals, v)
#define VALUE(v) FH_G_VALUE(test, executor, struct executor_globals, v)

static long add(long n FH_GLOBALS_DC) {
  FH_GLOBALS_KEEP(test);
  EG(depth) += n;
  return VALUE(depth) + LATE(value);
}

static void *registered(void *unused) {
  CHECK(fh_globals_thread_init(ENGINE));
  FH_GLOBALS_FETCH(test);
  EG(depth) = 1;
  LATE(value) = 40;
  CHECK(add(1 FH_GLOBALS_CC) == 42);
  return unused;
}

#if FH_GLOBALS_HAS_CONTEXT
static void *unregistered(void *others) {
  FH_GLOBALS_FETCH_FROM(others);
  EG(depth) = 1;
  return NULL;
}
#define WHOSE "a function was given a context that is not its thread's own"
#else
static void *unregistered(void *unused) {
  EG(depth) = 1;
  return unused;
}
#ifdef FREEHOLD_SANITIZED // whose pthread_create is in front of ours, so that the base is inherited
#define WHOSE "a thread that is not registered uses "
#else
#define WHOSE "a thread that is not registered uses them: call fh_globals_thread_init in it first"
#endif
#endif
static void *unregistered_value(void *others) {
  FH_GLOBALS_FETCH_FROM(others);
  VALUE(depth) = 1;
  return NULL;
}
static void *unregistered_module(void *others) {
  FH_GLOBALS_FETCH_FROM(others);
  LATE(value) = 1;
  return NULL;
}

#if FH_GLOBALS_MODE == FH_GLOBALS_GS
static void *inherits(void *base) { // as the kernel does it
  set_gs(base);
  return unregistered(NULL);
}
static void *gives_block(void *unused) {
  (void)unused;
  return fh_globals_thread_init(ENGINE);
}
static void *of_ended(void) {
  pthread_t thread;
  void *block;
  CHECK(pthread_create(&thread, NULL, gives_block, NULL) == 0 && pthread_join(thread, &block) == 0);
  in_thread(registered, NULL); // does not get the block
  return block;
}
static char Others[8192] __attribute__((aligned(64)));
static void displaced(void) {
  set_gs(Others);
  EG(depth) = 1;
}
static void stops_by_gs(void) {
  STOPS(in_thread(inherits, fh_globals_self(ENGINE)),
        "a thread that is not registered uses another thread's, whose %gs it was made with");
  void *ended = of_ended(); // here: in a forked child ThreadSanitizer has much to say
  STOPS(in_thread(inherits, ended), "a thread that is not registered uses those of one that has ended");
  STOPS(in_thread(inherits, Others), "a thread that is not registered uses them, and %gs is another's");
  STOPS(displaced(),
        "freehold: globals of test: something else has set %gs in a thread that uses it: use the build with mode cached instead");
}
#else
static void stops_by_gs(void) {}
#endif

int main(void) {
  CHECK(fh_globals_startup(ENGINE) == 0);
  CHECK(FH_RESOURCE_REGISTER(test, executor, sizeof(struct executor_globals), NULL, NULL) > 0);
  CHECK(FH_RESOURCE_REGISTER(test, compiler, sizeof(struct compiler_globals), NULL, NULL) > 0);
  CHECK(FH_MODULE_REGISTER(test, late, sizeof(struct late_globals), NULL, NULL) > 0);
  registered(NULL);
  in_threads(4, registered);
  fh_globals_block_t *own = fh_globals_self(ENGINE);
  STOPS(in_thread(unregistered, own), "freehold: globals of test: " WHOSE);
  STOPS(in_thread(unregistered_value, own), WHOSE);
  STOPS(in_thread(unregistered_module, own), WHOSE);
  stops_by_gs();
  CHECK(fh_globals_shutdown(ENGINE) == 0);
#if !FH_GLOBALS_HAS_CONTEXT
  STOPS(unregistered(NULL), "freehold: globals of test: they are used, but not started");
#endif
  return 0;
}
