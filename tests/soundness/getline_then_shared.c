// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4d-6, 4d-8: a block of ours that getline may have grown is then shared.
#include "soundness.h"
#include <stdio.h>

static char *kept;

static void *user(void *arg) {
  kept[0] = 'X';
  free(kept);
  return NULL;
}

int main(void) {
  FILE *file = tmpfile();
  size_t size = 4;
  char *line = malloc(size); // not-local
  EXPECT(file && line);
  fputs("a line that is longer than four bytes\n", file);
  rewind(file);
  EXPECT(getline(&line, &size, file) > 4);
  kept = line;
  on_thread(user, NULL);
  fclose(file);
  return 0;
}
