// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// shared.h - the inline function that both files use.
#pragma once
#include "../soundness.h"

inline int *make() {
  return new int(1); // not-local
}
