// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-29: an inline function of two files is one site; one caller publishes its block.
//
// steps: CXX -c main.cc; CXX -c other.cc; LINKXX main.o other.o
#include "../soundness.h"
#include "shared.h"

void publish();
void use_kept();

int main() {
  int *mine = make();
  publish();
  use_kept();
  EXPECT(*mine == 1);
  delete mine;
  return 0;
}
