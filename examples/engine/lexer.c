/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * lexer.c - from text to tokens.
 */
#include "lexer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "value.h"
#include "vm.h"

void lexer_open(const char *file, const char *text, size_t length ENGINE_DC) {
  LG(file) = file;
  LG(cursor) = text;
  LG(end) = text + length;
  LG(line) = 1;
  lexer_next(ENGINE_C);
}

/* To the next character that counts. Comments: # or // to the line's end. */
static void skip_space(ENGINE_D) {
  for (; LG(cursor) < LG(end); LG(cursor)++) {
    char c = *LG(cursor);
    if (c == '#' || (c == '/' && LG(cursor)[1] == '/')) {
      const char *newline = memchr(LG(cursor), '\n', (size_t)(LG(end) - LG(cursor)));
      if (!newline) {
        LG(cursor) = LG(end);
        return;
      }
      LG(cursor) = newline;
      c = '\n';
    }
    if (c == '\n')
      LG(line)++;
    else if (c != ' ' && c != '\t' && c != '\r')
      return;
  }
}

static void number(ENGINE_D) {
  char *integer_end, *real_end;
  LG(integer) = strtoll(LG(cursor), &integer_end, 0);
  LG(real) = strtod(LG(cursor), &real_end);
  LG(token) = real_end > integer_end ? TOKEN_REAL : TOKEN_INTEGER;
  LG(cursor) = real_end > integer_end ? real_end : integer_end;
}

static void name(ENGINE_D) {
  while (LG(cursor) < LG(end) && (isalnum((unsigned char)*LG(cursor)) || *LG(cursor) == '_'))
    LG(cursor)++;
  LG(length) = (size_t)(LG(cursor) - LG(text));
}

static void string(ENGINE_D) {
  const char *at = LG(cursor) + 1;
  for (; at < LG(end) && *at != '"'; at++) {
    if (*at == '\\')
      at++;
    else if (*at == '\n')
      LG(line)++;
  }
  if (at >= LG(end))
    vm_compile_error("a string that does not end" ENGINE_CC);
  LG(text) = LG(cursor) + 1;
  LG(length) = (size_t)(at - LG(text));
  LG(cursor) = at + 1;
  LG(token) = TOKEN_STRING;
}

static void punctuation(ENGINE_D) {
  static const char *const longer[] = {"===", "!==", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=",
                                       "*=",  "/=",  ".=", "%=", "=&", "->", "::", "=>", "<<", ">>", "?:", NULL};
  size_t left = (size_t)(LG(end) - LG(cursor));
  for (const char *const *o = longer; *o; o++) {
    size_t n = strlen(*o);
    if (n <= left && !memcmp(LG(cursor), *o, n)) {
      LG(token) = TOKEN_OPERATOR;
      LG(integer) = TOKEN_TRIPLE((*o)[0], (*o)[1], n == 3 ? (*o)[2] : 0);
      LG(cursor) += n;
      return;
    }
  }
  LG(token) = (unsigned char)*LG(cursor)++;
}

void lexer_next(ENGINE_D) {
  skip_space(ENGINE_C);
  LG(text) = LG(cursor);
  LG(length) = 1;
  if (LG(cursor) >= LG(end)) {
    LG(token) = TOKEN_END;
    return;
  }
  unsigned char c = (unsigned char)*LG(cursor);
  if (isdigit(c) || (c == '.' && isdigit((unsigned char)LG(cursor)[1]))) {
    number(ENGINE_C);
  } else if (isalpha(c) || c == '_') {
    LG(token) = TOKEN_NAME;
    name(ENGINE_C);
  } else if (c == '$') {
    LG(token) = TOKEN_VARIABLE;
    LG(cursor)++;
    LG(text)++;
    name(ENGINE_C);
    if (!LG(length))
      vm_compile_error("a $ without a name" ENGINE_CC);
  } else if (c == '"') {
    string(ENGINE_C);
  } else {
    punctuation(ENGINE_C);
  }
}

str *lexer_string(ENGINE_D) {
  str *s = str_room(LG(length) ENGINE_CC);
  char *to = s->text;
  for (const char *from = LG(text), *end = from + LG(length); from < end; from++) {
    if (*from != '\\') {
      *to++ = *from;
      continue;
    }
    from++;
    *to++ = (char)(*from == 'n' ? '\n' : *from == 't' ? '\t' : *from);
  }
  *to = 0;
  s->length = (size_t)(to - s->text);
  return s;
}
