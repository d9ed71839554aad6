// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-43: a FILE keeps its buffer and uses it on whichever thread writes.
#include "soundness.h"
#include <stdio.h>

static FILE *file;

static void *writer(void *arg) {
  fputs("from another thread", file);
  return NULL;
}

int main(void) {
  char *buffer = malloc(4096); // shared: FH302
  file = tmpfile();
  EXPECT(file && setvbuf(file, buffer, _IOFBF, 4096) == 0);
  on_thread(writer, NULL);
  fclose(file);
  free(buffer);
  return 0;
}
