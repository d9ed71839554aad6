// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Big enough not to be inlined everywhere: the aliases stay calls.
#include "buffer.h"

__attribute__((noinline)) Quiet::Quiet(int *Given) : Block(Given) { *Block += 1; }
__attribute__((noinline)) Quiet::~Quiet() { *Block += 1; }

static int *Kept;
static void *user(void *Arg) {
  *Kept += 1;
  return Arg;
}
__attribute__((noinline)) Loud::Loud(int *Given) : Block(Given) {
  Kept = Given;
  on_thread(user, nullptr);
}
__attribute__((noinline)) Loud::~Loud() { on_thread(user, nullptr); }
