// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// destructors.cpp - C++ thread_local objects whose destructors free local blocks and allocate new ones; operator new's local form
// with its handler and exception.
#include "check.h"

#include "freehold/heap.h"

#include <new>
#include <string>
#include <thread>
#include <vector>

namespace {
struct Holder {
  char *Block = nullptr;
  std::vector<std::string> Strings;
  ~Holder() {
    CHECK(Block && Block[99] == 7);
    free(Block);
    char *Late = static_cast<char *>(fh_tls_malloc(5000));
    memset(Late, 1, 5000);
    fh_tls_free(Late);
    Strings.clear();
    std::string More(3000, 'x');
    CHECK(More.size() == 3000);
  }
};
thread_local Holder First, Second;

void use(Holder &H) {
  H.Block = static_cast<char *>(fh_tls_malloc(100));
  memset(H.Block, 7, 100);
  for (int I = 0; I < 100; ++I)
    H.Strings.push_back(std::string(40, 'a'));
}

int HandlerCalls;
void handler() {
  if (++HandlerCalls == 3)
    std::set_new_handler(nullptr);
}
} // namespace

int main() {
  for (int I = 0; I < 500; ++I)
    std::thread([] {
      use(First);
      use(Second);
    }).join();
  use(First);
  use(Second);
  void *P = fh_tls_new(100);
  CHECK(P);
  free(P);
  std::set_new_handler(handler);
  bool Caught = false;
  try {
    fh_tls_new(SIZE_MAX / 2);
  } catch (const std::bad_alloc &) {
    Caught = true;
  }
  CHECK(Caught && HandlerCalls == 3);
  CHECK(fh_tls_new_nothrow(SIZE_MAX / 2) == nullptr);
  puts("done");
  return 0;
}
