// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two classes whose constructors and destructors stand in other.cc.
#pragma once
#include "../soundness.h"

struct Quiet {
  int *Block;
  explicit Quiet(int *Given);
  ~Quiet();
};

struct Loud {
  int *Block;
  explicit Loud(int *Given);
  ~Loud();
};
