/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * TSRM.h - stands in PHP's TSRM/ folder, and in an installed PHP's headers, in place of PHP's own: the thread-safe resource
 * manager is Freehold's. PHP's C files are compiled as they are, since all their thread-safe globals go through the macros of
 * this header.
 *
 * tsrm_mode.h names the mode and tsrm_layout.h the place of each set of globals; both are generated when PHP is configured, so an
 * extension that is built later against the installed headers gets the same.
 */
#ifndef TSRM_H
#define TSRM_H

#include "main/php_config.h"
#include "tsrm_mode.h"

/* Only the objects of the php program itself may know where its thread-local variables end up. Everything else, an extension or a
   program that embeds libphp.so, may be linked to either. */
#ifndef FREEHOLD_TSRM_EXECUTABLE
#define FREEHOLD_GLOBALS_DSO 1
/* musl's loader has no static TLS to spare; PHP's configure says whether it is musl. */
#ifdef __MUSL__
#define FREEHOLD_GLOBALS_DYNAMIC 1
#endif
#endif

/* PHP's resource ids are plain variables, whatever the mode. */
#define FREEHOLD_TSRM_BY_ID 1
#define FREEHOLD_TSRM_LAYOUT "tsrm_layout.h"
#include "freehold/tsrm.h"

#endif
