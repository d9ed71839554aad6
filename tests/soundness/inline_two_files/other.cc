// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other half of this program.
#include "../soundness.h"
#include "shared.h"

void publish();
void use_kept();
static int *kept;

static void *user(void *) {
  *kept += 1;
  return nullptr;
}
void publish() { kept = make(); }
void use_kept() {
  on_thread(user, nullptr);
  EXPECT(*kept == 2);
  delete kept;
}
