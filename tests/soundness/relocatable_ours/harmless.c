// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Its `take` keeps nothing, and lost.
static int kept;
void take(int *p);
void touch(int *p);
__attribute__((weak)) void take(int *p) { kept = *p; }
void touch(int *p) { *p += 1 + kept; }
