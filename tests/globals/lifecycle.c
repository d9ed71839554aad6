// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lifecycle.c - threads that come and go, each in its own way, and what happens to their resources: exactly one destructor for
// each constructor, in order, whatever the thread does.
#include "engine.h"

#include "threads.h"

#include <pthread.h>
#include <sys/syscall.h>

FH_GLOBALS_DEFINE(test);
FH_RESOURCE_DEFINE(test, executor);
FH_RESOURCE_DEFINE(test, compiler);
FH_MODULE_DECLARE(test, late);
FH_MODULE_DEFINE(test, late);
struct late_globals {
  long made_by;
};

// What the calling thread's constructors and destructors did: 'E' 'C' 'L', in lower case for destructors.
static _Thread_local char Log[64];
static int Made, Destroyed, FailExecutor;

static void note(char what) {
  size_t length = strlen(Log);
  CHECK(length + 1 < sizeof Log);
  Log[length] = what;
  __atomic_add_fetch(what < 'a' ? &Made : &Destroyed, 1, __ATOMIC_RELAXED);
}
static int make_executor(void *globals, void *argument) {
  (void)argument;
  note('E');
  ((struct executor_globals *)globals)->self = globals;
  return __atomic_load_n(&FailExecutor, __ATOMIC_RELAXED);
}
static void destroy_executor(void *globals, void *argument) {
  (void)argument;
  CHECK(((struct executor_globals *)globals)->self == globals);
  note('e');
}
static int make_compiler(void *globals, void *argument) {
  (void)globals, (void)argument;
  note('C');
  return 0;
}
static void destroy_compiler(void *globals, void *argument) {
  (void)globals, (void)argument;
  note('c');
}

static void start(void) {
  Made = Destroyed = 0;
  memset(Log, 0, sizeof Log);
  CHECK(fh_globals_startup(ENGINE) == 0);
  CHECK(FH_RESOURCE_REGISTER(test, executor, sizeof(struct executor_globals), make_executor, destroy_executor) > 0);
  CHECK(FH_RESOURCE_REGISTER(test, compiler, sizeof(struct compiler_globals), make_compiler, destroy_compiler) > 0);
}

static void stop(void) {
  CHECK(fh_globals_shutdown(ENGINE) == 0);
  CHECK(Made == Destroyed);
}

static size_t threads(void) {
  fh_globals_stats_t stats;
  CHECK(fh_globals_stats(ENGINE, &stats, sizeof stats) == 0);
  return stats.threads;
}

// ---- order ----

static void *says_exit(void *unused) {
  CHECK(fh_globals_thread_init(ENGINE) && strcmp(Log, "EC") == 0);
  CHECK(fh_globals_thread_exit(ENGINE) == 0 && strcmp(Log, "ECce") == 0);
  CHECK(fh_globals_thread_exit(ENGINE) == 0 && strcmp(Log, "ECce") == 0);
  CHECK(fh_globals_thread_init(ENGINE) && strcmp(Log, "ECceEC") == 0); // again
  return unused;
}

static void order(void) {
  start();
  in_thread(says_exit, NULL);
  CHECK(Made == 4 && Destroyed == 4 && threads() == 0);
  stop();
}

// ---- ends without a word ----

static pthread_key_t Key;
static int KeyDestroyed;
static void at_end(void *value) { // of another key, made later than the library's
  FH_GLOBALS_FETCH(test);
  CHECK(fh_globals_self(ENGINE) == value && EG(self) == (void *)&EG(depth));
  ++KeyDestroyed;
}

static void *returns(void *unused) {
  CHECK(pthread_setspecific(Key, fh_globals_thread_init(ENGINE)) == 0);
  return unused;
}
static void *exits(void *unused) {
  returns(NULL);
  pthread_exit(unused);
}
static void *is_cancelled(void *unused) {
  returns(NULL);
  pthread_cancel(pthread_self());
  pthread_testcancel();
  return unused;
}
static void silent(void) {
  start();
  KeyDestroyed = 0;
  CHECK(pthread_key_create(&Key, at_end) == 0);
  in_thread(returns, NULL);
  in_thread(exits, NULL);
  in_thread(is_cancelled, NULL);
  CHECK(KeyDestroyed == 3 && Made == 6 && Destroyed == 6 && threads() == 0);
  pthread_key_delete(Key);
  stop();
}

// ---- gone without a destructor: the next thread has its id and its memory ----

__attribute__((unused)) static void *vanishes(void *unused) {
  CHECK(fh_globals_thread_init(ENGINE));
  syscall(SYS_exit, 0);
  return unused;
}
__attribute__((unused)) static void *finds_nothing(void *unused) {
  CHECK(fh_globals_self(ENGINE) == NULL && strcmp(Log, "") == 0);
  CHECK(fh_globals_thread_init(ENGINE) && strncmp(Log, "EC", 2) == 0);
  FH_GLOBALS_FETCH(test);
  CHECK(EG(self) == (void *)&EG(depth) && EG(depth) == 0);
  return unused;
}
// The child of one that vanished: its own child has the vanished thread's memory, and inherits its base.
static pthread_barrier_t Vanished;
__attribute__((unused)) static void *grandparent(void *unused) {
  pthread_barrier_wait(&Vanished);
  in_thread(finds_nothing, NULL);
  return unused;
}
__attribute__((unused)) static void *vanishes_with_child(void *child) {
  CHECK(fh_globals_thread_init(ENGINE) && pthread_create(child, NULL, grandparent, NULL) == 0);
  syscall(SYS_exit, 0);
  return NULL;
}
static void vanished(void) {
#ifndef FREEHOLD_SANITIZED // sanitizers stop at such an end
  start();
  for (int i = 0; i < 20; ++i) {
    in_thread(vanishes, NULL);
    in_thread(finds_nothing, NULL);
  }
  CHECK(Made == 80);
  fh_globals_for_each_resource(ENGINE, 1, (fh_globals_visit_resource_t *)NULL, NULL); // nobody is left to be visited
  CHECK(threads() == 0);
  // A thread-local block is gone with its thread: what it held cannot be destroyed.
  CHECK(Destroyed == (FH_GLOBALS_MODE == FH_GLOBALS_STATIC ? 40 : 80));
  pthread_t child;
  pthread_barrier_init(&Vanished, NULL, 2);
  in_thread(vanishes_with_child, &child);
  pthread_barrier_wait(&Vanished);
  CHECK(pthread_join(child, NULL) == 0);
  CHECK(fh_globals_shutdown(ENGINE) == 0);
#endif
}

// ---- a thread that its creator's register may mislead ----

static void *unregistered(void *unused) {
  CHECK(fh_globals_self(ENGINE) == NULL && fh_globals_get_from(ENGINE, NULL, 1) == NULL);
  CHECK(fh_globals_thread_exit(ENGINE) == 0);
  return unused;
}
static pthread_barrier_t Barrier;
static void *outlives(void *unused) {
  pthread_barrier_wait(&Barrier); // the parent has ended
  CHECK(fh_globals_self(ENGINE) == NULL);
  CHECK(fh_globals_thread_init(ENGINE) && strcmp(Log, "EC") == 0);
  return unused;
}
static void *makes_and_ends(void *child) {
  CHECK(fh_globals_thread_init(ENGINE));
  in_thread(unregistered, NULL);
  CHECK(pthread_create(child, NULL, outlives, NULL) == 0);
  return NULL;
}
static void parents(void) {
  start();
  pthread_t child;
  pthread_barrier_init(&Barrier, NULL, 2);
  in_thread(makes_and_ends, &child);
  in_thread(says_exit, NULL); // has the memory of the parent's block
  pthread_barrier_wait(&Barrier);
  pthread_join(child, NULL);
  CHECK(Made == 8 && Destroyed == 8);
  stop();
}

// ---- constructors that fail, and that register ----

static void *fails(void *unused) {
  CHECK(fh_globals_thread_init(ENGINE) == NULL && fh_globals_error() == FH_GLOBALS_ECTOR && fh_globals_self(ENGINE) == NULL);
  return unused;
}
static int FailAt;
static int make_late(void *globals, void *argument) {
  ((struct late_globals *)globals)->made_by = 1;
  if (argument)
    CHECK(fh_globals_register_one(ENGINE, "inner", 8, NULL, NULL, argument, NULL, NULL, 0, NULL) > 0);
  note('L');
  if (FailAt == 0 || --FailAt > 0)
    return 0;
  --Made; // it did not
  return 1;
}
static void destroy_late(void *globals, void *argument) {
  (void)argument;
  CHECK(((struct late_globals *)globals)->made_by == 1);
  note('l');
}
static void *waits(void *unused) {
  CHECK(fh_globals_thread_init(ENGINE));
  pthread_barrier_wait(&Barrier);
  pthread_barrier_wait(&Barrier);
  return unused;
}
static void failing(void) {
  start();
  FailExecutor = 1;
  in_thread(fails, NULL);
  CHECK(Made == 1 && threads() == 0);
  Made = FailExecutor = 0;
  pthread_t thread[3];
  pthread_barrier_init(&Barrier, NULL, 4);
  for (int i = 0; i < 3; ++i)
    CHECK(pthread_create(&thread[i], NULL, waits, NULL) == 0);
  pthread_barrier_wait(&Barrier);
  FailAt = 3; // for the third thread: undone for the two before it
  CHECK(FH_MODULE_REGISTER(test, late, sizeof(struct late_globals), make_late, destroy_late) == 0);
  CHECK(fh_globals_error() == FH_GLOBALS_ECTOR && fh_id_late == 0 && fh_offset_late == 0 && strcmp(Log, "LLLll") == 0);
  CHECK(FH_MODULE_REGISTER(test, late, sizeof(struct late_globals), make_late, destroy_late) > 0 && fh_offset_late != 0);
  CHECK(strcmp(Log, "LLLllLLL") == 0);
  CHECK(fh_globals_unregister(ENGINE, fh_id_late) == 0 && fh_id_late == 0 && strcmp(Log, "LLLllLLLlll") == 0);
  pthread_barrier_wait(&Barrier);
  for (int i = 0; i < 3; ++i)
    pthread_join(thread[i], NULL);
  stop();
}

static void registering(void) {
  start();
  CHECK(fh_globals_thread_init(ENGINE));
  int inner = 0, outer = 0;
  fh_globals_resource_t resource = {.name = "outer",
                                    .size = sizeof(struct late_globals),
                                    .ctor = make_late,
                                    .dtor = destroy_late,
                                    .argument = &inner,
                                    .id = &outer};
  CHECK(fh_globals_register(ENGINE, &resource) == 3 && outer == 3 && inner == 4);
  CHECK(fh_globals_get(ENGINE, inner) && fh_globals_get(ENGINE, outer));
  stop();
  CHECK(strcmp(Log, "ECLlce") == 0);
}

// ---- reserve ----

static void exhausted(void) {
  start();
  CHECK(fh_globals_thread_init(ENGINE));
  fh_globals_stats_t stats;
  fh_globals_stats(ENGINE, &stats, sizeof stats);
  int id, last = 0;
  ptrdiff_t offset;
  for (size_t size = 64; size <= stats.reserve_bytes; size += 64) {
    last = id;
    CHECK(fh_globals_register_one(ENGINE, NULL, 64, NULL, NULL, &id, &offset, NULL, 0, NULL) > 0 && offset != 0);
  }
  CHECK(fh_globals_register_one(ENGINE, NULL, 64, NULL, NULL, &id, &offset, NULL, 0, NULL) > 0 && offset == 0);
  memset(fh_globals_get(ENGINE, id), 1, 64);
  fh_globals_resource_t must = {.size = 64, .id = &id, .in_block = true};
  CHECK(fh_globals_register(ENGINE, &must) == 0 && fh_globals_error() == FH_GLOBALS_ENOMEM && id == 0);
  // The module's accessor finds what lies elsewhere, too.
  CHECK(FH_MODULE_REGISTER(test, late, sizeof(struct late_globals), make_late, destroy_late) > 0 && fh_offset_late == 0);
  FH_GLOBALS_FETCH(test);
  CHECK(FH_MODULE_G(test, late, struct late_globals, made_by) == 1);
  // What is unregistered makes room.
  CHECK(fh_globals_unregister(ENGINE, last) == 0);
  CHECK(fh_globals_register_one(ENGINE, NULL, 48, NULL, NULL, &id, &offset, NULL, 0, NULL) > 0 && offset != 0);
  stop();
}

// ---- shutdown with live threads ----

static void *goes_on(void *unused) {
  fh_globals_block_t *block = fh_globals_thread_init(ENGINE);
  struct executor_globals *globals = fh_globals_get(ENGINE, fh_id_test_executor);
  pthread_barrier_wait(&Barrier);
  pthread_barrier_wait(&Barrier); // shut down
  CHECK(fh_globals_self(ENGINE) == NULL && fh_globals_get(ENGINE, 1) == NULL && fh_globals_error() == FH_GLOBALS_ENOTSTARTED);
  CHECK(fh_globals_thread_exit(ENGINE) == 0 && globals->self == globals && block->magic == FH_GLOBALS_MAGIC);
  pthread_barrier_wait(&Barrier);
  pthread_barrier_wait(&Barrier); // started again
  CHECK(fh_globals_thread_init(ENGINE) && strcmp(Log, "ECEC") == 0);
  return unused;
}
static void live(void) {
  start();
  pthread_t thread[4];
  pthread_barrier_init(&Barrier, NULL, 5);
  for (int i = 0; i < 4; ++i)
    CHECK(pthread_create(&thread[i], NULL, goes_on, NULL) == 0);
  pthread_barrier_wait(&Barrier);
  CHECK(threads() == 4);
  stop();
  CHECK(Destroyed == 8 && strcmp(Log, "cececece") == 0);
  pthread_barrier_wait(&Barrier);
  pthread_barrier_wait(&Barrier);
  start();
  pthread_barrier_wait(&Barrier);
  for (int i = 0; i < 4; ++i)
    pthread_join(thread[i], NULL);
  CHECK(Made == 8 && Destroyed == 8);
  stop();
}

// A resource of the layout that is registered while threads live: each has it when that returns.
static void *reads_late(void *unused) {
  CHECK(fh_globals_thread_init(ENGINE));
  pthread_barrier_wait(&Barrier);
  pthread_barrier_wait(&Barrier);
  FH_GLOBALS_FETCH(test);
  CHECK(EG(self) == (void *)&EG(depth));
  return unused;
}
static void late(void) {
  pthread_t thread[2];
  pthread_barrier_init(&Barrier, NULL, 3);
  CHECK(fh_globals_startup(ENGINE) == 0);
  Made = Destroyed = 0;
  for (int i = 0; i < 2; ++i)
    CHECK(pthread_create(&thread[i], NULL, reads_late, NULL) == 0);
  pthread_barrier_wait(&Barrier);
  CHECK(FH_RESOURCE_REGISTER(test, executor, sizeof(struct executor_globals), make_executor, destroy_executor) == 1);
  pthread_barrier_wait(&Barrier);
  for (int i = 0; i < 2; ++i)
    pthread_join(thread[i], NULL);
  CHECK(fh_globals_shutdown(ENGINE) == 0 && Made == 2 && Destroyed == 2);
}

int main(void) {
  order();
  silent();
  vanished();
  parents();
  failing();
  registering();
  exhausted();
  live();
  late();
  return 0;
}
