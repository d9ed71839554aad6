// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// host.c MODULE OTHER MISFIT [THREADS REQUESTS] - an engine with threads that loads modules while they run: every live thread has
// a module's globals when its loading is done, and those who read others' are not disturbed. OTHER is the module compiled for
// another mode, MISFIT with another layout. The engine is the program itself or, run by loader.c, a library.
#include "module.h"

#include "../runtime/check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

FH_GLOBALS_DEFINE(test);
FH_RESOURCE_DEFINE(test, executor);
FH_RESOURCE_DEFINE(test, compiler);

#define MODULES 20
static atomic_int Constructed, Destroyed, Stop, Requests;
static _Atomic(module_call_t *) Calls[MODULES];
static const char *Folder;

__attribute__((visibility("default"))) void host_note(int constructed) {
  atomic_fetch_add(constructed ? &Constructed : &Destroyed, 1);
}

static int make_executor(void *globals, void *argument) {
  (void)argument;
  ((struct executor_globals *)globals)->self = globals;
  host_note(1);
  return 0;
}
static void destroy_executor(void *globals, void *argument) {
  (void)argument;
  CHECK(((struct executor_globals *)globals)->self == globals);
  host_note(0);
}

static void *open_copy(const char *file, int number) {
  char copy[300], command[700];
  snprintf(copy, sizeof copy, "%s/module%d.so", Folder, number);
  snprintf(command, sizeof command, "cp '%s' '%s'", file, copy);
  CHECK(system(command) == 0);
  void *module = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
  if (!module)
    fprintf(stderr, "%s\n", dlerror());
  CHECK(module);
  unlink(copy);
  return module;
}

static long use(FH_GLOBALS_D) {
  CHECK(EG(self) == (void *)&EG(depth));
  EG(numbers)[3]++;
  CG(line)++;
  return EG(depth);
}

// What a thread does all the time, with what modules there are. Counts are the thread's own, so nothing may be lost.
static void request(long *called FH_GLOBALS_DC) {
  for (int i = 0; i < MODULES; ++i) {
    module_call_t *call = atomic_load(&Calls[i]);
    long before = use(FH_GLOBALS_C);
    if (call) {
      CHECK(call(FH_GLOBALS_C) == ++called[i]);
      CHECK(use(FH_GLOBALS_C) == before + 1);
    }
  }
}

static void *serve(void *unused) {
  long called[MODULES] = {0};
  CHECK(fh_globals_thread_init(ENGINE));
  FH_GLOBALS_FETCH(test);
  while (!atomic_load(&Stop))
    request(called FH_GLOBALS_CC);
  return unused;
}

static void modules(const char *file) {
  pthread_t threads[4];
  void *opened[MODULES];
  for (int i = 0; i < 4; ++i)
    CHECK(pthread_create(&threads[i], NULL, serve, NULL) == 0);
  for (int i = 0; i < MODULES; ++i) { // more than the reserve has room for
    opened[i] = open_copy(file, i);
    int id = ((module_load_t *)dlsym(opened[i], "module_load"))();
    CHECK(id == i + 3);
    atomic_store(&Calls[i], (module_call_t *)dlsym(opened[i], "module_call"));
    usleep(1000);
  }
  FH_GLOBALS_FETCH(test);
  for (int i = 0; i < MODULES; ++i)
    CHECK(atomic_load(&Calls[i])(FH_GLOBALS_C) == 1);
  atomic_store(&Stop, 1);
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
  // Five threads with the executor and all modules; the four that ended have destroyed theirs.
  CHECK(Constructed == 5 * (1 + MODULES) && Destroyed == 4 * (1 + MODULES));
  fh_globals_resource_info_t info;
  for (int i = 0; i < MODULES; ++i) {
    atomic_store(&Calls[i], NULL);
    CHECK(fh_globals_next_resource(ENGINE, i + 2, &info) && info.id == i + 3);
    CHECK(dlclose(opened[i]) == 0);
    CHECK(Destroyed == 4 * (1 + MODULES) + i + 1);
  }
  CHECK(!fh_globals_next_resource(ENGINE, 2, &info));
}

// It is refused with that error and a line; else it would use what is not its own.
static void refused(const char *file, int error, const char *line) {
  if (strcmp(file, "none") == 0)
    return;
  int ends[2], saved = dup(2);
  char said[400] = "";
  CHECK(pipe(ends) == 0);
  void *module = open_copy(file, 99);
  dup2(ends[1], 2);
  int id = ((module_load_t *)dlsym(module, "module_load"))(), told = fh_globals_error();
  dup2(saved, 2);
  CHECK(id == 0 && told == error && read(ends[0], said, sizeof said - 1) > 0);
  if (strstr(said, line) == NULL)
    fprintf(stderr, "not '%s': %s", line, said);
  CHECK(strstr(said, line) != NULL && strstr(said, "freehold: globals of test") == said);
  CHECK(dlclose(module) == 0);
  close(ends[0]), close(ends[1]), close(saved);
}

// Threads x requests: a thread serves some and ends, in one of two ways; another one follows. Modules come in between.
static void *serve_some(void *ends) {
  long called[MODULES] = {0};
  CHECK(fh_globals_thread_init(ENGINE));
  FH_GLOBALS_FETCH(test);
  for (int i = 0; i < 50; ++i, atomic_fetch_add(&Requests, 1))
    request(called FH_GLOBALS_CC);
  if (ends)
    CHECK(fh_globals_thread_exit(ENGINE) == 0);
  return NULL;
}

static void *serve_many(void *requests) {
  for (long left = *(long *)requests; left > 0; left -= 50) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, serve_some, (void *)(left / 50 & 1)) == 0 && pthread_join(thread, NULL) == 0);
  }
  return NULL;
}

static long resident(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK(file && fscanf(file, "%*d %ld", &pages) == 1);
  fclose(file);
  return pages * 4096;
}

static void stress(const char *file, int count, long requests) {
  pthread_t *threads = malloc((size_t)count * sizeof *threads);
  void *opened[MODULES];
  long before = 0;
  Constructed = Destroyed = 0;
  for (int i = 0; i < count; ++i)
    CHECK(pthread_create(&threads[i], NULL, serve_many, &requests) == 0);
  for (int i = 0; i < MODULES; ++i) {
    while (atomic_load(&Requests) < i * count * requests / MODULES / 2)
      usleep(1000);
    opened[i] = open_copy(file, 100 + i);
    CHECK(((module_load_t *)dlsym(opened[i], "module_load"))() > 0);
    atomic_store(&Calls[i], (module_call_t *)dlsym(opened[i], "module_call"));
  }
  while (atomic_load(&Requests) < count * requests * 6 / 10)
    usleep(1000);
  before = resident();
  while (atomic_load(&Requests) < count * requests * 9 / 10)
    usleep(1000);
  long grown = resident() - before;
  for (int i = 0; i < count; ++i)
    pthread_join(threads[i], NULL);
  fh_globals_stats_t stats;
  CHECK(fh_globals_stats(ENGINE, &stats, sizeof stats) == 0 && stats.threads == 1);
  printf("%d threads, %ld requests each, %d modules: %d constructors, %d destructors, %ld KiB grown, %lu blocks\n", count,
         requests, MODULES, Constructed, Destroyed, grown / 1024, (unsigned long)stats.started);
  CHECK(Constructed == Destroyed + MODULES); // the main thread has its own
#ifndef FREEHOLD_SANITIZED
  CHECK(grown < 4 << 20);
#endif
  for (int i = 0; i < MODULES; ++i) {
    atomic_store(&Calls[i], NULL);
    dlclose(opened[i]);
  }
  CHECK(Constructed == Destroyed);
  free(threads);
}

int main(int argc, char **argv) {
  char folder[] = "/tmp/freehold-globals.XXXXXX";
  CHECK(argc >= 4 && (Folder = mkdtemp(folder)) != NULL);
  CHECK(fh_globals_startup(ENGINE) == 0);
  CHECK(FH_RESOURCE_REGISTER(test, executor, sizeof(struct executor_globals), make_executor, destroy_executor) == 1);
  CHECK(FH_RESOURCE_REGISTER(test, compiler, sizeof(struct compiler_globals), NULL, NULL) == 2);
  CHECK(fh_globals_thread_init(ENGINE));
  if (argc == 6) {
    stress(argv[1], atoi(argv[4]), atol(argv[5]));
  } else {
    modules(argv[1]);
    refused(argv[2], FH_GLOBALS_EMODE, "a module was compiled for mode gs: compile it with the engine's switch");
    refused(
        argv[3], FH_GLOBALS_ELAYOUT,
        "a module was compiled with a layout that has compiler of 32 bytes at 128, the engine's has 32 bytes at 544: compile it "
        "with the engine's headers");
  }
  CHECK(fh_globals_shutdown(ENGINE) == 0);
  rmdir(folder);
  return 0;
}
