// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-17: a coroutine is suspended on one thread and resumed on another.
//
// flags: -std=c++20
#include "soundness.h"
#include <coroutine>

struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { abort(); }
  };
  std::coroutine_handle<promise_type> handle;
};

static Task work(int *seen) {
  int *block = new int(1); // not-local
  co_await std::suspend_always{};
  *block += 1;
  *seen = *block;
  delete block;
}

static void *resumer(void *arg) {
  static_cast<Task *>(arg)->handle.resume();
  return nullptr;
}

int main() {
  int seen = 0;
  Task task = work(&seen);
  on_thread(resumer, &task);
  EXPECT(seen == 2 && task.handle.done());
  task.handle.destroy();
  return 0;
}
