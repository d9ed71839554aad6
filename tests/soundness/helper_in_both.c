// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4c-3: a helper called by main and by workers; each block stays with its thread.
#include "soundness.h"

static int sum(int n) {
  int *numbers = malloc((size_t)n * sizeof *numbers), total = 0; // local
  for (int i = 0; i < n; i++)
    numbers[i] = i;
  for (int i = 0; i < n; i++)
    total += numbers[i];
  free(numbers);
  return total;
}

static void *worker(void *arg) {
  EXPECT(sum(10) == 45);
  return NULL;
}

int main(void) {
  EXPECT(sum(20) == 190);
  on_thread(worker, NULL);
  return 0;
}
