// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-21: each thread is given its own slot of one array; main reads them all.
#include "soundness.h"

struct slot {
  int *result;
  int number;
};

static void *worker(void *arg) {
  struct slot *s = arg;
  s->result = malloc(sizeof *s->result); // shared: FH102
  *s->result = s->number;
  return NULL;
}

int main(void) {
  struct slot slots[4];
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) {
    slots[i].number = i;
    EXPECT(pthread_create(&threads[i], NULL, worker, &slots[i]) == 0);
  }
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
    EXPECT(*slots[i].result == i);
    free(slots[i].result);
  }
  return 0;
}
