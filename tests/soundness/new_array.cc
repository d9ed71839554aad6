// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4d-16: new[] with a cookie, nothrow and aligned new.
#include "soundness.h"
#include <new>

struct Counted {
  int value = 1;
  ~Counted() { value = 0; }
};
struct alignas(64) Wide {
  long value = 1;
};

static void *user(void *arg) {
  delete[] static_cast<Counted *>(arg);
  return nullptr;
}
static void *wide_user(void *arg) {
  static_cast<Wide *>(arg)->value = 2;
  return nullptr;
}

int main() {
  Counted *shared = new Counted[5];       // shared: FH102
  Counted *mine = new Counted[5];         // local
  int *quiet = new (std::nothrow) int(3); // local
  Wide *wide = new Wide;                  // shared: FH102
  on_thread(user, shared);
  on_thread(wide_user, wide);
  EXPECT(mine[4].value == 1 && *quiet == 3 && wide->value == 2);
  delete[] mine;
  delete quiet;
  delete wide;
  return 0;
}
