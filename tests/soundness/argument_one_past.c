// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-1: a pointer one past the end leads back into the block.
#include "soundness.h"

static void *reader(void *arg) {
  long *end = arg;
  EXPECT(end[-1] == 7 && end[-4] == 4);
  end[-1] = 8;
  return NULL;
}

int main(void) {
  long *block = malloc(4 * sizeof *block); // shared: FH102
  for (int i = 0; i < 4; i++)
    block[i] = 4 + i;
  on_thread(reader, block + 4);
  EXPECT(block[3] == 8);
  free(block);
  return 0;
}
