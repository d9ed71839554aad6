// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// message.c - one line on stderr without stdio: the caller may be in a signal handler, or in the middle of malloc.
#include "os.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void fhi_line_text(struct fhi_line *line, const char *text) {
  // One byte is kept for the line's end.
  while (*text && line->length < sizeof line->text - 1)
    line->text[line->length++] = *text++;
}

void fhi_line_start(struct fhi_line *line) {
  line->length = 0;
  fhi_line_text(line, "freehold: ");
}

static void digits(struct fhi_line *line, uint64_t number, unsigned base) {
  char reversed[24], one[2] = {0, 0};
  unsigned count = 0;
  do {
    reversed[count++] = "0123456789abcdef"[number % base];
    number /= base;
  } while (number != 0);
  while (count != 0) {
    one[0] = reversed[--count];
    fhi_line_text(line, one);
  }
}

void fhi_line_number(struct fhi_line *line, uint64_t number) { digits(line, number, 10); }

void fhi_line_address(struct fhi_line *line, const void *address) {
  fhi_line_text(line, "0x");
  digits(line, (uintptr_t)address, 16);
}

void fhi_line_write(struct fhi_line *line) {
  line->text[line->length++] = '\n';
  fhi_os_write(STDERR_FILENO, line->text, line->length); // of an error nobody is left to be told
}

void fhi_say(const char *text) {
  struct fhi_line line;
  fhi_line_start(&line);
  fhi_line_text(&line, text);
  fhi_line_write(&line);
}

_Noreturn void fhi_line_stop(struct fhi_line *line) {
  fhi_line_write(line);
  abort();
}
