// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// basic.c - declared, registered, used by several threads: each has its own, made by the constructor, at the layout's place.
#include "engine.h"

#include "threads.h"

FH_GLOBALS_DEFINE(test);
FH_RESOURCE_DEFINE(test, executor);
FH_RESOURCE_DEFINE(test, compiler);

static int Made, Destroyed;

static int make_executor(void *globals, void *argument) {
  struct executor_globals *eg = globals;
  CHECK(argument == NULL && eg->depth == 0 && eg->numbers[99] == 0);
  eg->depth = 7;
  eg->self = eg;
  __atomic_add_fetch(&Made, 1, __ATOMIC_RELAXED);
  return 0;
}

static void destroy_executor(void *globals, void *argument) {
  struct executor_globals *eg = globals;
  CHECK(argument == NULL && eg->self == eg);
  __atomic_add_fetch(&Destroyed, 1, __ATOMIC_RELAXED);
}

// By either accessor it is the same global, now and after a call in between.
#define VALUE(v) FH_G_VALUE(test, executor, struct executor_globals, v)
__attribute__((noinline)) static long count(FH_GLOBALS_D) {
  for (int i = 0; i < 100; ++i)
    EG(numbers)[i] += i;
  VALUE(depth)++;
  CHECK(VALUE(depth) == EG(depth) && VALUE(numbers[99]) == EG(numbers)[99] && VALUE(self) == EG(self));
  return EG(depth) + (CG(line) += 2);
}

// A kept base is the thread's, an inner scope's too, and ends with the scope.
static void keep(fh_globals_block_t *block FH_GLOBALS_DC) {
  {
    FH_GLOBALS_KEEP(test);
    CHECK((char *)&EG(depth) == (char *)block + FH_LAYOUT_test_executor);
    count(FH_GLOBALS_C);
    EG(depth)--;
    if (block) {
      FH_GLOBALS_KEEP(test);
      CG(line) -= 2;
    }
  }
  CHECK((char *)&CG(name) == (char *)block + FH_LAYOUT_test_compiler);
}

static void *run(void *argument) {
  CHECK(fh_globals_self(ENGINE) == NULL);
  fh_globals_block_t *block = fh_globals_thread_init(ENGINE);
  CHECK(block && block == fh_globals_self(ENGINE) && block == fh_globals_thread_init(ENGINE));
  FH_GLOBALS_FETCH(test);
  CHECK(EG(depth) == 7 && EG(self) == (void *)&EG(depth));
  CHECK(fh_globals_get(ENGINE, fh_id_test_executor) == (void *)&EG(depth));
  CHECK(fh_globals_get(ENGINE, fh_id_test_compiler) == (void *)&CG(name));
  CHECK((char *)&EG(depth) == (char *)block + FH_LAYOUT_test_executor);
  CHECK((char *)&CG(name) == (char *)block + FH_LAYOUT_test_compiler);
  CHECK(block->storage[fh_id_test_executor - 1] == (void *)&EG(depth));
  keep(block FH_GLOBALS_CC);
  for (int i = 1; i <= 1000; ++i)
    CHECK(count(FH_GLOBALS_C) == 7 + 3 * i);
  CHECK(EG(numbers)[99] == 99099);
  if (argument)
    CHECK(fh_globals_thread_exit(ENGINE) == 0 && fh_globals_self(ENGINE) == NULL);
  return NULL;
}

static int count_thread(fh_globals_block_t *block, void *argument) {
  CHECK(block->magic == FH_GLOBALS_MAGIC);
  return ++*(int *)argument == 100;
}

int main(void) {
  CHECK(fh_globals_thread_init(ENGINE) == NULL && fh_globals_error() == FH_GLOBALS_ENOTSTARTED);
  CHECK(FH_RESOURCE_REGISTER(test, executor, sizeof(struct executor_globals), NULL, NULL) == 0);
  CHECK(fh_globals_shutdown(ENGINE) == 0);
  for (int life = 0; life < 3; ++life) {
    Made = Destroyed = 0;
    CHECK(fh_globals_startup(ENGINE) == 0 && fh_globals_startup(ENGINE) == 0);
    CHECK(FH_RESOURCE_REGISTER(test, executor, sizeof(struct executor_globals), make_executor, destroy_executor) == 1);
    CHECK(FH_RESOURCE_REGISTER(test, compiler, sizeof(struct compiler_globals), NULL, NULL) == 2);
    CHECK(fh_id_test_executor == 1 && Made == 0);
    in_threads(8, run);
    CHECK(Made == 8 && Destroyed == 8);
    run(NULL);
    int threads_left = 0;
    CHECK(fh_globals_for_each(ENGINE, count_thread, &threads_left) == 0 && threads_left == 1);
    CHECK(fh_globals_shutdown(ENGINE) == 0 && Made == 9 && Destroyed == 9);
    CHECK(fh_globals_self(ENGINE) == NULL && fh_globals_get(ENGINE, 1) == NULL);
  }
  return 0;
}
