// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TSRM.c - compiled in PHP's TSRM/ folder in place of PHP's own: makes PHP an engine of Freehold's, whose thread block has the
// generated layout. All code is in libfreehold-tsrm-MODE.a.
#define FREEHOLD_TSRM_NAME "PHP"
#include "TSRM.h"
FH_TSRM_DEFINE();
