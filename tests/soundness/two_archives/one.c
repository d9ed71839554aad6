// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Its static function is harmless.
#include "../soundness.h"

void one(int *p);
static void store(int *p) { *p = 5; }
void one(int *p) { store(p); }
