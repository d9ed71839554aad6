// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// text.h - texts of many lines, and JSON, into a buffer without stdio or malloc: statistics are printed at the very end of a
// process.
#ifndef FHI_TEXT_H
#define FHI_TEXT_H

#include "os.h"

// Cut where the buffer is full, while the length goes on, as snprintf has it. Nothing ends it with a NUL.
struct fhi_text {
  char *buffer;
  size_t size, length;
  char last;
};
FHI_HIDDEN void fhi_text_add(struct fhi_text *text, const char *more);
FHI_HIDDEN void fhi_text_number(struct fhi_text *text, uint64_t number);

// Tables: a first column to the left, the others to the right.
enum { FHI_TEXT_COLUMN = 13, FHI_TEXT_FIRST = 22 };
FHI_HIDDEN void fhi_text_right(struct fhi_text *text, const char *what, unsigned width);
FHI_HIDDEN void fhi_text_left(struct fhi_text *text, const char *what, unsigned width);
FHI_HIDDEN void fhi_text_count(struct fhi_text *text, uint64_t number); // 12,345
FHI_HIDDEN void fhi_text_bytes(struct fhi_text *text, uint64_t number); // 512 B, 12.3 KiB, 4.0 MiB

// JSON: members of an object; a comma goes before all but the first.
FHI_HIDDEN void fhi_json_name(struct fhi_text *text, const char *key);
FHI_HIDDEN void fhi_json_number(struct fhi_text *text, const char *key, uint64_t value);
FHI_HIDDEN void fhi_json_string(struct fhi_text *text, const char *key, const char *value); // NULL: null

#endif
