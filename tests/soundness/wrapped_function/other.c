// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function that is wrapped away.
#include "../soundness.h"

void take(int *p);
void take(int *p) { (void)p; }
