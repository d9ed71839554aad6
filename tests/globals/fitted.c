// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fitted.c - an extension that is compiled with the engine's headers, and knows its layout and mode; or with others.
#include "freehold/tsrm.h"

#include "tsrm_types.h"

TSRMLS_CACHE_DEFINE()

long fitted_depth(void) { return TSRMG_FAST_STATIC(executor_globals_offset, struct executor_globals *, depth); }
