// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tsrm_default.c - the thread block of a program that has no layout of its own for TSRM: reserve alone. An archive member of its
// own, which is left out where the program has FH_TSRM_DEFINE(); in the shared library the program's own goes before it.
#define FREEHOLD_TSRM_LAYOUT "freehold/globals/tsrm_no_layout.h"
#include "freehold/tsrm.h"

FH_TSRM_DEFINE();
