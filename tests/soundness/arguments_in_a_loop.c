// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4c-2: each worker of a loop frees the argument main made for it.
#include "soundness.h"

static void *worker(void *arg) {
  EXPECT(*(int *)arg >= 0);
  free(arg);
  return NULL;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) {
    int *argument = malloc(sizeof *argument); // shared: FH102
    *argument = i;
    EXPECT(pthread_create(&threads[i], NULL, worker, argument) == 0);
  }
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
