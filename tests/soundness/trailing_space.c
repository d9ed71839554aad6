// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-11: a pointer beyond the declared struct, in over-allocated space.
#include "soundness.h"

struct small {
  long size;
};

static void *user(void *arg) {
  int **hidden = (int **)((char *)arg + 104);
  **hidden += 1;
  return NULL;
}

int main(void) {
  struct small *s = malloc(sizeof *s + 200); // shared: FH102
  int *block = calloc(1, sizeof *block);     // shared: FH102
  *(int **)((char *)s + 104) = block;
  on_thread(user, s);
  EXPECT(*block == 1);
  free(block);
  free(s);
  return 0;
}
