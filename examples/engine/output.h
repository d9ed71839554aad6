/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * output.h - what the running script has printed, kept until somebody takes it. The buffer survives the request.
 */
#ifndef ENGINE_OUTPUT_H
#define ENGINE_OUTPUT_H

#include "globals.h"

void output_write(const char *text, size_t length ENGINE_DC);
void output_clear(ENGINE_D); /* begin anew, in the same buffer */

#endif
