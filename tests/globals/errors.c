// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// errors.c - bad input: each a documented result, some with one line; never a crash.
#include "engine.h"

#include "../runtime/check.h"

#include <sys/resource.h>

FH_GLOBALS_DEFINE(test);
FH_RESOURCE_DEFINE(test, executor);
FH_RESOURCE_DEFINE(test, compiler);

static int SelfUnregister, ShutdownResult, ExitResult, InitResult;
static int meddles(void *globals, void *argument) {
  (void)globals, (void)argument;
  SelfUnregister = fh_globals_unregister(ENGINE, 1);
  ShutdownResult = fh_globals_shutdown(ENGINE);
  ExitResult = fh_globals_thread_exit(ENGINE);
  InitResult = fh_globals_thread_init(ENGINE) != NULL;
  return 0;
}

static void bad_layout(void) {
  int ends[2];
  char said[400] = "";
  CHECK(pipe(ends) == 0);
  int saved = dup(2);
  dup2(ends[1], 2);
  int id = FH_RESOURCE_REGISTER(test, executor, sizeof(struct executor_globals) + 8, NULL, NULL), error = fh_globals_error();
  dup2(saved, 2);
  CHECK(id == 0 && error == FH_GLOBALS_ELAYOUT && read(ends[0], said, sizeof said - 1) > 0);
  CHECK(strcmp(said,
               "freehold: globals of test: executor has 424 bytes, the layout it was built with says 416: generate the layout "
               "again with freehold-layout and rebuild\n") == 0);
  close(ends[0]), close(ends[1]), close(saved);
}

#ifndef FREEHOLD_SANITIZED
static void no_memory(void) {
  struct rlimit before, none;
  CHECK(getrlimit(RLIMIT_AS, &before) == 0);
  none = before;
  none.rlim_cur = 1;
  CHECK(setrlimit(RLIMIT_AS, &none) == 0);
  int id = 7;
  CHECK(fh_globals_register_one(ENGINE, NULL, 1 << 28, NULL, NULL, &id, NULL, NULL, 0, NULL) == 0 && id == 0);
  CHECK(fh_globals_error() == FH_GLOBALS_ENOMEM && setrlimit(RLIMIT_AS, &before) == 0);
}
#endif

int main(void) {
  int id = 9;
  CHECK(fh_globals_startup(NULL) == FH_GLOBALS_EINVAL && fh_globals_shutdown(NULL) == FH_GLOBALS_EINVAL);
  CHECK(fh_globals_thread_init(NULL) == NULL && fh_globals_self(NULL) == NULL && fh_globals_get(NULL, 1) == NULL);
  CHECK(fh_globals_thread_exit(NULL) == FH_GLOBALS_EINVAL && fh_globals_unregister(NULL, 1) == FH_GLOBALS_EINVAL);
  CHECK(fh_globals_unregister(ENGINE, 1) == FH_GLOBALS_ENOTSTARTED && fh_globals_self(ENGINE) == NULL);
  CHECK(fh_globals_register_one(ENGINE, NULL, 8, NULL, NULL, &id, NULL, NULL, 0, NULL) == 0 && id == 0);
  CHECK(fh_globals_error() == FH_GLOBALS_ENOTSTARTED);
  CHECK(fh_globals_startup(ENGINE) == 0);
  CHECK(FH_RESOURCE_REGISTER(test, executor, sizeof(struct executor_globals), meddles, NULL) == 1);
  CHECK(fh_globals_thread_init(ENGINE));
  CHECK(SelfUnregister == FH_GLOBALS_EBUSY && ShutdownResult == FH_GLOBALS_EBUSY && ExitResult == FH_GLOBALS_EBUSY && InitResult);
  CHECK(fh_globals_unregister(ENGINE, 0) == FH_GLOBALS_EINVAL && fh_globals_unregister(ENGINE, 2) == FH_GLOBALS_EINVAL);
  CHECK(fh_globals_unregister(ENGINE, -5) == FH_GLOBALS_EINVAL && fh_globals_get(ENGINE, 0) == NULL);
  CHECK(fh_globals_register(ENGINE, NULL) == 0 && fh_globals_error() == FH_GLOBALS_EINVAL);
  CHECK(fh_globals_register_one(ENGINE, NULL, 0, NULL, NULL, &id, NULL, NULL, 0, NULL) == 0 && id == 0);
  fh_globals_resource_t resource = {.size = 8, .alignment = 24, .id = &id};
  CHECK(fh_globals_register(ENGINE, &resource) == 0 && fh_globals_error() == FH_GLOBALS_EINVAL);
  resource.alignment = 4096; // more than a block has: memory of its own
  CHECK(fh_globals_register(ENGINE, &resource) == 2 && ((uintptr_t)fh_globals_get(ENGINE, 2) & 4095) == 0);
  int first = FH_RESOURCE_REGISTER(test, compiler, sizeof(struct compiler_globals), NULL, NULL), second;
  second = FH_RESOURCE_REGISTER(test, compiler, sizeof(struct compiler_globals), NULL, NULL); // twice: an id of its own
  CHECK(first == 3 && second == 4 && fh_globals_get(ENGINE, 3) != fh_globals_get(ENGINE, 4));
  CHECK(fh_globals_unregister(ENGINE, 3) == 0 && fh_globals_unregister(ENGINE, 3) == FH_GLOBALS_EINVAL);
  CHECK(fh_globals_unregister(ENGINE, 1) == 0 && fh_id_test_executor == 0);
  bad_layout();
#ifndef FREEHOLD_SANITIZED
  no_memory();
#endif
  for (int error = -1; error < 20; ++error)
    CHECK(fh_globals_error_text(error) != NULL);
  CHECK(fh_globals_shutdown(ENGINE) == 0 && fh_globals_shutdown(ENGINE) == 0);
  CHECK(fh_globals_register_one(ENGINE, NULL, 8, NULL, NULL, &id, NULL, NULL, 0, NULL) == 0 && id == 0);
  CHECK(fh_globals_error() == FH_GLOBALS_ENOTSTARTED && fh_globals_unregister(ENGINE, 4) == FH_GLOBALS_ENOTSTARTED);
  return 0;
}
