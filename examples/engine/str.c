/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * str.c - counted strings that grow in place while nobody else holds them.
 */
#include <string.h>

#include "value.h"

str *str_room(size_t length ENGINE_DC) {
  str *s = emallocts(sizeof *s + length + 1 ENGINE_CC);
  s->refs = 1;
  s->hash = 0;
  s->length = s->room = length;
  return s;
}

str *str_new(const char *text, size_t length ENGINE_DC) {
  str *s = str_room(length ENGINE_CC);
  memcpy(s->text, text, length);
  s->text[length] = 0;
  return s;
}

void str_release(str *s ENGINE_DC) {
  if (--s->refs == 0)
    efreets(s ENGINE_CC);
}

str *str_append(str *s, const char *text, size_t length ENGINE_DC) {
  size_t total = s->length + length;
  if (s->refs > 1) {
    str *joined = str_room(total ENGINE_CC);
    memcpy(joined->text, s->text, s->length);
    memcpy(joined->text + s->length, text, length);
    joined->text[total] = 0;
    s->refs--;
    return joined;
  }
  bool own = text == s->text; /* $s .= $s: the text moves with the block */
  if (total > s->room) {
    s->room = total + total / 2;
    s = ereallocts(s, sizeof *s + s->room + 1 ENGINE_CC);
  }
  memcpy(s->text + s->length, own ? s->text : text, length);
  s->text[total] = 0;
  s->length = total;
  s->hash = 0;
  return s;
}

/* FNV-1a, 64 bits; never 0. */
uint64_t str_hash_slow(str *s) {
  uint64_t h = 14695981039346656037u;
  for (size_t i = 0; i < s->length; i++)
    h = (h ^ (unsigned char)s->text[i]) * 1099511628211u;
  return s->hash = h | (uint64_t)1 << 63;
}

bool str_equal(const str *a, const str *b) {
  return a == b || (a->length == b->length && memcmp(a->text, b->text, a->length) == 0);
}
