/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * request.h - one run of a script, from compiling to dropping its memory.
 */
#ifndef ENGINE_REQUEST_H
#define ENGINE_REQUEST_H

#include "compile.h"

/* Runs a source, or of its `row` blocks the one named. What it prints is then in OG(text), OG(used); errors go to EG(errors).
   False if it ended with an error. The thread must have been begun. */
bool request_run(const char *name, const char *text, size_t length, const char *row ENGINE_DC);
/* The names of a source's rows: appended to *rows. */
bool request_list_rows(const char *name, const char *text, size_t length, row_list *rows ENGINE_DC);

#endif
