// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-13: async's result, and a promise fulfilled on another thread.
#include "soundness.h"
#include <future>
#include <thread>

int main() {
  auto f = std::async(std::launch::async, [] {
    return new int(4); // not-local
  });
  int *p = f.get();
  EXPECT(*p == 4);
  delete p;

  std::promise<int *> promise;
  std::future<int *> future = promise.get_future();
  std::thread t([&promise] {
    promise.set_value(new int(5)); // not-local
  });
  int *q = future.get();
  t.join();
  EXPECT(*q == 5);
  delete q;
  return 0;
}
