// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two weak aliases of functions that keep nothing.
#include "../soundness.h"

static __attribute__((noinline)) void nothing(int *p) { *p += 0; }
static __attribute__((noinline)) void one(int *p) { *p += 1; }
void lost(int *p) __attribute__((weak, alias("nothing")));
void won(int *p) __attribute__((weak, alias("one")));
