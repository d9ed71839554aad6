// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4d-6: getline grows a block of ours by the program's own realloc.
#include "soundness.h"
#include <stdio.h>

int main(void) {
  FILE *file = tmpfile();
  size_t size = 4;
  char *line = malloc(size); // any
  EXPECT(file && line);
  for (int i = 0; i < 1000; i++)
    fputc('a' + i % 26, file);
  rewind(file);
  EXPECT(getline(&line, &size, file) == 1000 && size > 1000);
  free(line);
  fclose(file);
  return 0;
}
