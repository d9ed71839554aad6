// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library.
#include "../soundness.h"

int *library_cell;
int *library_make(void);
void library_keep(int *p);
int library_sum(int n);

int *library_make(void) {
  int *p = malloc(sizeof *p); // not-local
  *p = 1;
  return p;
}
void library_keep(int *p) {
  library_cell = malloc(sizeof *p); // not-local
  *library_cell = 3;
}
int library_sum(int n) {
  int *numbers = malloc((size_t)n * sizeof *numbers), total = 0; // local
  for (int i = 0; i < n; i++)
    numbers[i] = i;
  for (int i = 0; i < n; i++)
    total += numbers[i];
  free(numbers);
  return total;
}
