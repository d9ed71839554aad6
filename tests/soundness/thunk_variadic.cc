// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-19, 4b-21: the thunk of a variadic virtual function hands its anonymous arguments on without naming them.
#include "soundness.h"
#include <stdarg.h>

static int *kept;

struct first {
  virtual ~first() {}
  long pad = 0;
};
struct second {
  virtual void take(int count, ...) = 0;
  virtual ~second() {}
};
struct both : first, second {
  void take(int count, ...) override {
    va_list list;
    va_start(list, count);
    kept = va_arg(list, int *);
    va_end(list);
  }
};

static void *user(void *arg) {
  *kept += 1;
  return arg;
}

int main() {
  both object;
  second *volatile view = &object;
  int *block = (int *)calloc(1, sizeof(int)); // not-local
  view->take(1, block);
  on_thread(user, nullptr);
  EXPECT(*block == 1);
  free(block);
  return 0;
}
