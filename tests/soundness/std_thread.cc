// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-12: std::thread copies its arguments into a state that the new thread runs and destroys.
#include "soundness.h"
#include <thread>

int main() {
  int *by_argument = new int(1); // not-local
  int *by_capture = new int(2);  // not-local
  int *mine = new int(3);        // local
  std::thread t(
      [by_capture](int *p) {
        *by_capture += 1;
        *p += 1;
        delete p;
      },
      by_argument);
  t.join();
  EXPECT(*by_capture == 3 && *mine == 3);
  delete by_capture;
  delete mine;
  return 0;
}
