// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// inherit.cc - threads of C++, which libstdc++.so makes: this program has no call of pthread_create. See inherit.c.
#include "freehold/globals.h"

#include "engine_types.h"

#include "test_layout.h"

#include "gs_base.h"

#include <future>
#include <thread>

FH_GLOBALS_DECLARE(test);
FH_GLOBALS_DEFINE(test);
FH_RESOURCE_DECLARE(test, executor);
FH_RESOURCE_DEFINE(test, executor);

int main() {
  CHECK(fh_globals_startup(&fh_globals_test) == 0);
  CHECK(FH_RESOURCE_REGISTER(test, executor, sizeof(struct executor_globals), nullptr, nullptr) == 1);
  void *own = fh_globals_thread_init(&fh_globals_test);
  CHECK(own && gs_base() == own);
  void *found = own;
  std::thread([&found] { found = gs_base(); }).join();
  CHECK(found == nullptr);
  CHECK(std::async(std::launch::async, gs_base).get() == nullptr);
  CHECK(gs_base() == own && fh_globals_shutdown(&fh_globals_test) == 0);
  return 0;
}
