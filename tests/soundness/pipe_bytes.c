// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-26: a pointer written into a pipe and read by another thread.
#include "soundness.h"
#include <unistd.h>

static int ends[2];

static void *reader(void *arg) {
  int *block;
  EXPECT(read(ends[0], &block, sizeof block) == sizeof block);
  *block += 1;
  free(block);
  return NULL;
}

int main(void) {
  int *block = calloc(1, sizeof *block); // shared: FH304
  int *mine = calloc(1, sizeof *mine);   // local
  EXPECT(pipe(ends) == 0);
  EXPECT(write(ends[1], &block, sizeof block) == sizeof block);
  on_thread(reader, NULL);
  EXPECT(*mine == 0);
  free(mine);
  return 0;
}
