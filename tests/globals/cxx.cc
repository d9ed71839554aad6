// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cxx.cc - an engine, a module and code for TSRM written in C++: every macro of both interfaces, in every mode, without a
// warning.
#include "freehold/tsrm.h"

#include "engine.h"

#include "freehold/globals/objects.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#define CHECK(condition) ((condition) ? void() : failed(#condition, __LINE__))
static void failed(const char *condition, int line) {
  std::fprintf(stderr, "cxx.cc:%d: %s\n", line, condition);
  std::abort();
}

// ---- freehold/globals.h ----

FH_GLOBALS_DEFINE(test);
FH_RESOURCE_DEFINE(test, executor);
FH_RESOURCE_DEFINE(test, compiler);
struct late_globals {
  long calls;
  double weights[4];
};
FH_MODULE_DECLARE(test, late);
FH_MODULE_DEFINE(test, late);
#define EV(v) FH_G_VALUE(test, executor, executor_globals, v)
#define LG(v) FH_MODULE_G(test, late, late_globals, v)

static int Destroyed;
static int make_executor(void *globals, void *) {
  static_cast<executor_globals *>(globals)->depth = 7;
  return 0;
}
static void destroy_executor(void *, void *) { __atomic_add_fetch(&Destroyed, 1, __ATOMIC_RELAXED); }

// By reference, by pointer and by value it is the same global.
static long use(int n FH_GLOBALS_DC) {
  long &depth = EG(depth);
  for (int i = 0; i < n; ++i) {
    EV(depth)++;
    EV(numbers[i]) += i;
    LG(weights)[i % 4] += 0.5;
  }
  EV(self) = &depth;
  CHECK(&depth == &EG(depth) && EV(depth) == depth && EV(self) == &depth);
  FH_GLOBALS_KEEP(test);
  CHECK(&depth == &EG(depth));
  CG(line) += n;
  LG(calls)++;
  int number = FH_GLOBALS_ATOMIC_LOAD(&EG(numbers)[1]);
  return depth + number;
}
static long without_more(FH_GLOBALS_D) { return use(3 FH_GLOBALS_CC); }
static long callback(void *kept) {
  FH_GLOBALS_FETCH_FROM(kept);
  return without_more(FH_GLOBALS_C);
}

static void run() {
  CHECK(fh_globals_self(ENGINE) == nullptr && fh_globals_thread_init(ENGINE));
  FH_GLOBALS_FETCH(test);
  CHECK(EG(depth) == 7 && callback(FH_GLOBALS_KEPT(test)) == 11 && use(5 FH_GLOBALS_CC) == 17);
  CHECK(FH_RESOURCE(test, executor, executor_globals)->depth == 15 && CG(line) == 8);
  CHECK(FH_MODULE(test, late, late_globals)->calls == 2 && LG(weights)[0] == 1.5);
}

// ---- objects ----

static bool Throw;
static int Alive;
struct object_globals {
  std::string name = "made by a constructor, and too long to lie in it";
  std::vector<int> numbers{1, 2, 3};
  object_globals() {
    if (__atomic_load_n(&Throw, __ATOMIC_RELAXED))
      throw 1;
    __atomic_add_fetch(&Alive, 1, __ATOMIC_RELAXED);
  }
  ~object_globals() { __atomic_sub_fetch(&Alive, 1, __ATOMIC_RELAXED); }
};
FH_MODULE_DECLARE(test, object);
FH_MODULE_DEFINE(test, object);
#define OG(v) FH_MODULE_G(test, object, object_globals, v)
static fh_globals_id_t register_object(fh_globals_ctor_t *construct = fh_globals_construct<object_globals>) {
  return FH_MODULE_REGISTER(test, object, sizeof(object_globals), construct, fh_globals_destroy<object_globals>);
}
static int throws(void *, void *) { throw 1; }

// What throws out of a constructor ends the program there: nothing goes on with half of it made, or waits for it.
static void is_not_caught() {
  std::fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    std::set_terminate([] { _exit(3); });
    try {
      register_object(throws);
    } catch (int) {
    }
    _exit(0);
  }
  int status = 0;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

static void objects() {
  CHECK(fh_globals_startup(ENGINE) == 0 && fh_globals_thread_init(ENGINE));
  Throw = true;
  CHECK(register_object() == 0 && fh_globals_error() == FH_GLOBALS_ECTOR && Alive == 0);
  is_not_caught();
  Throw = false;
  CHECK(register_object() > 0 && Alive == 1);
  std::thread([] {
    CHECK(fh_globals_thread_init(ENGINE));
    FH_GLOBALS_FETCH(test);
    OG(numbers).push_back(4);
    OG(name) += " of each thread's";
    CHECK(OG(numbers).size() == 4 && OG(name).size() > 60 && __atomic_load_n(&Alive, __ATOMIC_RELAXED) == 2);
  }).join();
  Throw = true; // this thread gets nothing, the others keep what they have
  std::thread([] { CHECK(!fh_globals_thread_init(ENGINE) && fh_globals_error() == FH_GLOBALS_ECTOR); }).join();
  FH_GLOBALS_FETCH(test);
  CHECK(Alive == 1 && OG(numbers).size() == 3);
  CHECK(fh_globals_shutdown(ENGINE) == 0 && Alive == 0);
}

static void globals() {
  CHECK(fh_globals_startup(ENGINE) == 0);
  CHECK(FH_RESOURCE_REGISTER(test, executor, sizeof(executor_globals), make_executor, destroy_executor) == 1);
  CHECK(FH_RESOURCE_REGISTER(test, compiler, sizeof(compiler_globals), nullptr, nullptr) == 2);
  CHECK(FH_MODULE_REGISTER(test, late, sizeof(late_globals), nullptr, nullptr) == 3);
  std::thread first(run), second(run);
  first.join();
  second.join();
  run();
  CHECK(fh_globals_shutdown(ENGINE) == 0 && Destroyed == 3);
}

// ---- freehold/tsrm.h ----

namespace php {
#include "tsrm_types.h"
}
#ifdef TSRM_LAYOUT
FH_TSRM_DEFINE();
#endif
TSRMLS_MAIN_CACHE_EXTERN()
TSRMLS_MAIN_CACHE_DEFINE()
ts_rsrc_id executor_globals_id, other_globals_id;
size_t executor_globals_offset, other_globals_offset;
TSRMG_DH(late_globals *, late_globals_id);
TSRMG_D(late_globals *, late_globals_id);

static void make_late(void *globals) { static_cast<late_globals *>(globals)->calls = 3; }
static long get(TSRMLS_D) {
  return TSRMG(late_globals_id, late_globals *, calls) + TSRMG_BULK(late_globals_id, late_globals *)->calls +
         TSRMG_STATIC(late_globals_id, late_globals *, calls) + TSRMG_BULK_STATIC(late_globals_id, late_globals *)->calls;
}
static long add(long n TSRMLS_DC) {
  TSRMG_FAST(executor_globals_offset, php::executor_globals *, depth) += n;
  TSRMG_FAST_BULK(other_globals_offset, late_globals *)->calls += n;
  CHECK(TSRMG_FAST_BULK_STATIC(executor_globals_offset, php::executor_globals *)->depth == n);
  return TSRMG_FAST_STATIC(other_globals_offset, late_globals *, calls) + get(TSRMLS_C);
}
// The names that TSRMG declares where it is used are of the file, whatever is around them.
namespace engine {
struct reader {
  static long read(TSRMLS_D) { return TSRMG(late_globals_id, late_globals *, calls); }
};
} // namespace engine
static long from_context(void *context) {
  TSRMLS_FETCH_FROM_CTX(context);
  return context || !FH_GLOBALS_HAS_CONTEXT ? get(TSRMLS_C) : 0;
}
static void run_tsrm() {
  TSRMLS_INIT();
  TSRMLS_FETCH();
  TSRMLS_CACHE_UPDATE();
  void *context = nullptr;
  TSRMLS_SET_CTX(context);
  CHECK(add(5 TSRMLS_CC) == 17 && from_context(context) == 12);
  CHECK(engine::reader::read(TSRMLS_C) == 3);
  CHECK(ts_resource(0) == tsrm_get_ls_cache() && tsrm_get_ls_cache() == TSRMLS_CACHE);
}

static void tsrm() {
  CHECK(tsrm_startup(1, 1, 0, nullptr));
  CHECK(ts_allocate_fast_id(&executor_globals_id, &executor_globals_offset, sizeof(php::executor_globals), nullptr, nullptr) ==
        1);
  CHECK(ts_allocate_fast_id(&other_globals_id, &other_globals_offset, sizeof(late_globals), nullptr, nullptr) == 2);
  CHECK(TSRMG_ALLOCATE(late_globals_id, sizeof(late_globals), make_late, nullptr) == 3);
  std::thread(run_tsrm).join();
  run_tsrm();
  tsrm_shutdown();
}

int main() {
  globals();
  objects();
  tsrm();
  return 0;
}
