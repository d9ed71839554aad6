// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-21: a pointer to a virtual member function and to a data member.
#include "soundness.h"

struct Base {
  virtual ~Base() {}
  virtual void take(int *p) { (void)p; }
  int *slot = nullptr;
};
static int *kept;
struct Derived : Base {
  void take(int *p) override { kept = p; }
};
static Base *global;

static void *user(void *) {
  int *Base::*field = &Base::slot;
  *(global->*field) += 1;
  *kept += 1;
  return nullptr;
}

int main() {
  int *a = new int(1); // not-local
  int *b = new int(1); // not-local
  void (Base::*method)(int *) = &Base::take;
  global = new Derived; // shared: FH101
  (global->*method)(a);
  global->slot = b;
  on_thread(user, nullptr);
  EXPECT(*a == 2 && *b == 2);
  delete global;
  delete a;
  delete b;
  return 0;
}
