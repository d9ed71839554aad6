/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * lexer.h - from text to tokens, one at a time: LG(token) is the present one.
 */
#ifndef ENGINE_LEXER_H
#define ENGINE_LEXER_H

#include "globals.h"

/* One-character tokens are themselves. */
enum token {
  TOKEN_END = 256,
  TOKEN_INTEGER,
  TOKEN_REAL,
  TOKEN_STRING,   /* LG(text) with its escapes still in it */
  TOKEN_VARIABLE, /* without the $ */
  TOKEN_NAME,
  TOKEN_OPERATOR, /* of two or three characters: LG(integer) is TOKEN_PAIR of the first two, plus the third << 16 */
};
#define TOKEN_PAIR(a, b) ((a) | (b) << 8)
#define TOKEN_TRIPLE(a, b, c) ((a) | (b) << 8 | (c) << 16)

void lexer_open(const char *file, const char *text, size_t length ENGINE_DC);
void lexer_next(ENGINE_D);
/* The string token's characters, escapes resolved; the caller's. */
str *lexer_string(ENGINE_D);

#endif
