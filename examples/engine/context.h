/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * context.h - how a function of the engine comes to its thread's globals.
 *
 * A function that uses globals ends its parameter list with ENGINE_DC (ENGINE_D if it has no other) and is called with ENGINE_CC
 * (ENGINE_C). They are empty in the modes that pass no context, and in the build for one thread, whose globals are plain
 * variables. A function whose signature somebody else chose begins with ENGINE_FETCH instead, which looks the context up.
 */
#ifndef ENGINE_CONTEXT_H
#define ENGINE_CONTEXT_H

#ifdef ENGINE_SINGLE
#define ENGINE_HAS_CONTEXT 0
#define ENGINE_D void
#define ENGINE_DC
#define ENGINE_C
#define ENGINE_CC
#define ENGINE_FETCH ((void)0)
#else
#include "freehold/globals.h"
#define ENGINE_HAS_CONTEXT FH_GLOBALS_HAS_CONTEXT
#define ENGINE_D FH_GLOBALS_D
#define ENGINE_DC FH_GLOBALS_DC
#define ENGINE_C FH_GLOBALS_C
#define ENGINE_CC FH_GLOBALS_CC
#define ENGINE_FETCH FH_GLOBALS_FETCH(engine)
#endif

#endif
