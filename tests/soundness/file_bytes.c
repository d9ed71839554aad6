// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-26: a pointer written to a file with fwrite and read back with fread.
#include "soundness.h"
#include <stdio.h>

static FILE *file;

static void *reader(void *arg) {
  int *block;
  rewind(file);
  EXPECT(fread(&block, sizeof block, 1, file) == 1);
  *block += 1;
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // shared: FH304
  file = tmpfile();
  EXPECT(file && fwrite(&block, sizeof block, 1, file) == 1);
  fflush(file);
  on_thread(reader, NULL);
  EXPECT(*block == 1);
  fclose(file);
  free(block);
  return 0;
}
