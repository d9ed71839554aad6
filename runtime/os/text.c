// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// text.c - see text.h.
#include "text.h"

#include <string.h>

void fhi_text_add(struct fhi_text *text, const char *more) {
  for (; *more; ++more, ++text->length) {
    text->last = *more;
    if (text->length < text->size)
      text->buffer[text->length] = *more;
  }
}

static char *digits(char *end, uint64_t number) {
  do
    *--end = (char)('0' + number % 10);
  while ((number /= 10) != 0);
  return end;
}

void fhi_text_number(struct fhi_text *text, uint64_t number) {
  char buffer[24] = {0};
  fhi_text_add(text, digits(buffer + sizeof buffer - 1, number));
}

void fhi_text_right(struct fhi_text *text, const char *what, unsigned width) {
  for (size_t length = strlen(what); length < width; ++length)
    fhi_text_add(text, " ");
  fhi_text_add(text, what);
}

void fhi_text_left(struct fhi_text *text, const char *what, unsigned width) {
  fhi_text_add(text, what);
  for (size_t length = strlen(what); length < width; ++length)
    fhi_text_add(text, " ");
}

void fhi_text_count(struct fhi_text *text, uint64_t number) {
  char buffer[32] = {0}, *p = buffer + sizeof buffer - 1;
  for (unsigned i = 0; i == 0 || number != 0; ++i, number /= 10) {
    if (i != 0 && i % 3 == 0)
      *--p = ',';
    *--p = (char)('0' + number % 10);
  }
  fhi_text_right(text, p, FHI_TEXT_COLUMN);
}

void fhi_text_bytes(struct fhi_text *text, uint64_t number) {
  static const char *const Units[] = {" B", " KiB", " MiB", " GiB", " TiB"};
  char buffer[32] = {0}, *p;
  unsigned unit = 0;
  uint64_t tenths = number * 10;
  for (; tenths >= 10240 && unit < 4; ++unit)
    tenths = unit == 0 ? number * 10 / 1024 : tenths / 1024;
  p = buffer + sizeof buffer - 1 - strlen(Units[unit]);
  memcpy(p, Units[unit], strlen(Units[unit]));
  if (unit != 0) {
    *--p = (char)('0' + tenths % 10);
    *--p = '.';
  }
  fhi_text_right(text, digits(p, tenths / 10), FHI_TEXT_COLUMN);
}

// ---- JSON ----

void fhi_json_name(struct fhi_text *text, const char *key) {
  fhi_text_add(text, text->last == '{' ? "\"" : ",\"");
  fhi_text_add(text, key);
  fhi_text_add(text, "\":");
}

void fhi_json_number(struct fhi_text *text, const char *key, uint64_t value) {
  fhi_json_name(text, key);
  fhi_text_number(text, value);
}

// A program's name may hold any byte: what is not plain ASCII becomes one \u00xx each.
void fhi_json_string(struct fhi_text *text, const char *key, const char *value) {
  fhi_json_name(text, key);
  fhi_text_add(text, value ? "\"" : "null");
  for (const char *p = value; p && *p; ++p) {
    unsigned char c = (unsigned char)*p;
    char plain[2] = {*p, 0}, escaped[7] = {'\\', 'u', '0', '0', "0123456789abcdef"[c >> 4], "0123456789abcdef"[c & 15], 0};
    fhi_text_add(text, c < ' ' || c > '~' || c == '"' || c == '\\' ? escaped : plain);
  }
  fhi_text_add(text, value ? "\"" : "");
}
