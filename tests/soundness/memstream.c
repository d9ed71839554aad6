// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-43: open_memstream keeps the addresses of the caller's variables.
#include "soundness.h"
#include <stdio.h>

static FILE *stream;
struct result {
  char *text;
  size_t size;
};

static void *writer(void *arg) {
  fputs("four", stream);
  fclose(stream);
  return NULL;
}

int main(void) {
  struct result *r = malloc(sizeof *r); // shared: FH302
  stream = open_memstream(&r->text, &r->size);
  on_thread(writer, NULL);
  EXPECT(r->size == 4 && strcmp(r->text, "four") == 0);
  free(r->text);
  free(r);
  return 0;
}
