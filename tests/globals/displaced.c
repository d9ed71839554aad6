// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// displaced.c - another library sets %gs after start, in a thread that has a block: the engine's calls say so, once, and fail;
// the block is not destroyed, and is there again when the base is put back. What destructors run when such a thread ends find its
// own globals, and the other library's base is not touched. Mode gs.
#include "freehold/tsrm.h"

#include "engine.h"

#include "gs_base.h"
#include "said.h"
#include "threads.h"

FH_GLOBALS_DEFINE(test);
FH_RESOURCE_DEFINE(test, executor);
FH_RESOURCE_DEFINE(test, compiler);

#define LINE                                                                                                                     \
  "freehold: globals of test: something else has set %gs in a thread that uses it: use the build with mode cached instead\n"
#define FOREIGN                                                                                                                  \
  "freehold: globals of test: %gs is in use by something that is not Freehold's: use the build with mode cached instead\n"

#define TSRM_LINE                                                                                                                \
  "freehold: globals of TSRM: something else has set %gs in a thread that uses it: use the build with mode cached instead\n"

static char Others[16384] __attribute__((aligned(64)));
static bool is_set(const void *base) { return gs_base() == base; }

static int Made, Destroyed;
static int make(void *globals, void *argument) {
  (void)argument;
  ((struct executor_globals *)globals)->self = globals;
  return ++Made, 0;
}
static void destroy(void *globals, void *argument) {
  (void)argument;
  CHECK(EG(self) == globals); // the thread's own, through %gs
  ++Destroyed;
}

static bool fails(void) { return fh_globals_error() == FH_GLOBALS_EGS; }
static void all_fail(void) {
  fh_globals_block_t *before = NULL;
  int id = 0;
  CHECK(fh_globals_thread_init(ENGINE) == NULL && fails() && fh_globals_thread_init(ENGINE) == NULL && fails());
  CHECK(fh_globals_self(ENGINE) == NULL && fh_globals_get(ENGINE, 1) == NULL && fails());
  CHECK(fh_globals_switch(ENGINE, NULL, &before) == FH_GLOBALS_EGS && !before);
  CHECK(fh_globals_block_new(ENGINE) == NULL && fails());
  CHECK(fh_globals_register_one(ENGINE, NULL, 8, NULL, NULL, &id, NULL, NULL, 0, NULL) == 0 && fails() && id == 0);
  CHECK(fh_globals_snapshot(ENGINE) == NULL && fails());
  CHECK(is_set(Others));
}

static fh_globals_block_t *init(long value) {
  fh_globals_block_t *block = fh_globals_thread_init(ENGINE);
  CHECK(block);
  EG(depth) = value;
  return block;
}

static void *put_back(void *unused) {
  fh_globals_block_t *block = init(7);
  set_gs(Others);
  all_fail();
  set_gs(block);
  CHECK(fh_globals_thread_init(ENGINE) == block && EG(depth) == 7 && EG(self) == (void *)&EG(depth));
  return unused;
}
static void *exits(void *unused) {
  init(7);
  set_gs(Others);
  CHECK(fh_globals_thread_exit(ENGINE) == 0 && is_set(Others));
  CHECK(fh_globals_thread_init(ENGINE) == NULL && fails() && is_set(Others)); // not ours to take
  set_gs(NULL);
  init(8);
  return unused;
}
static pthread_key_t Key;
static int Rounds;
static void at_end(void *value) { // the library's own ends the thread in the second round, before this one
  CHECK(is_set(Others) && fh_globals_self(ENGINE) == NULL);
  if (++Rounds == 1)
    CHECK(pthread_setspecific(Key, value) == 0 && Destroyed == 3);
  else
    CHECK(Destroyed == 4);
}
static void *ends(void *unused) {
  CHECK(pthread_setspecific(Key, &Rounds) == 0);
  init(7);
  set_gs(Others);
  return unused;
}
static void *never_had_one(void *unused) {
  set_gs(Others);
  CHECK(fh_globals_thread_init(ENGINE) == NULL && fails() && fh_globals_self(ENGINE) == NULL && is_set(Others));
  return unused;
}

static void start(void) {
  Made = Destroyed = 0;
  CHECK(fh_globals_startup(ENGINE) == 0);
  CHECK(FH_RESOURCE_REGISTER(test, executor, sizeof(struct executor_globals), make, destroy) == 1);
}

static void in_the_child(void) {
  fh_globals_block_t *block = init(9);
  set_gs(Others);
  pid_t child = fork();
  if (child == 0) {
    set_gs(block);
    CHECK(fh_globals_thread_init(ENGINE) == block && EG(depth) == 9 && Made == 1 && Destroyed == 0);
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

// TSRM's cache is a thread-local variable: it tells nothing of %gs.
static void tsrm(void) {
  set_gs(NULL);
  CHECK(tsrm_startup(1, 1, 0, NULL));
  void *own = ts_resource(0);
  CHECK(own && ts_resource(0) == own);
  set_gs(Others);
  CHECK(ts_resource(0) == NULL && fails() && is_set(Others));
  set_gs(own);
  CHECK(ts_resource(0) == own);
  tsrm_shutdown();
}

int main(void) {
  struct said said;
  said_begin(&said);
  start();
  in_thread(put_back, NULL);
  CHECK(Made == 1 && Destroyed == 1);
  said_end(&said, LINE);

  said_begin(&said);
  in_thread(never_had_one, NULL);
  said_end(&said, FOREIGN);

  CHECK(pthread_key_create(&Key, at_end) == 0);
  in_thread(exits, NULL);
  CHECK(Made == 3 && Destroyed == 3);
  in_thread(ends, NULL);
  CHECK(Made == 4 && Destroyed == 4 && Rounds == 2);
  CHECK(fh_globals_shutdown(ENGINE) == 0);

  start();
  in_the_child();
  // The main thread's is displaced: it can shut down.
  CHECK(fh_globals_shutdown(ENGINE) == 0 && Made == 1 && Destroyed == 1 && is_set(Others));
  said_begin(&said);
  tsrm();
  said_end(&said, TSRM_LINE);
  for (size_t i = 0; i < sizeof Others; ++i)
    CHECK(Others[i] == 0);
  return 0;
}
