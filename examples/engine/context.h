/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * context.h - how a function of the engine comes to its thread's globals: in the single-thread build they are plain globals.
 *
 * A function that uses globals ends its parameter list with ENGINE_DC (ENGINE_D if it has no other) and is called with ENGINE_CC
 * (ENGINE_C). They are empty where no context is passed. A function whose signature somebody else chose begins with
 * ENGINE_FETCH instead, which looks the context up.
 */
#ifndef ENGINE_CONTEXT_H
#define ENGINE_CONTEXT_H

#define ENGINE_HAS_CONTEXT 0
#define ENGINE_D void
#define ENGINE_DC
#define ENGINE_C
#define ENGINE_CC
#define ENGINE_FETCH

#define ENGINE_MODE_NAME "single"

#endif
