// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4c-9: a thread's entry is also called as an ordinary function.
#include "soundness.h"

struct job {
  int *result;
};

static void *entry(void *arg) {
  struct job *j = arg;
  j->result = malloc(sizeof *j->result); // shared: FH102
  *j->result = 2;
  return NULL;
}

int main(void) {
  struct job direct, threaded;
  entry(&direct);
  on_thread(entry, &threaded);
  EXPECT(*direct.result == 2 && *threaded.result == 2);
  free(direct.result);
  free(threaded.result);
  return 0;
}
