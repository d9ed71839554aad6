// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function that gives way.
#include "../soundness.h"

void take(int *p);
void take(int *p) { *p = 0; }
