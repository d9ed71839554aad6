/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * compile_statement.h - statements and declarations call functions, and functions hold statements.
 */
#ifndef ENGINE_COMPILE_STATEMENT_H
#define ENGINE_COMPILE_STATEMENT_H

#include "compile.h"

void compile_statement(node *n ENGINE_DC);
/* n: an N_FUNCTION; class: whose method it is, or NULL. */
function *compile_function(node *n, class *class ENGINE_DC);

#endif
