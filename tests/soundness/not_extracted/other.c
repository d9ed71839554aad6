// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The member that is not extracted.
#include "../soundness.h"

void take(int *p);
void take(int *p) { *p = 0; }
