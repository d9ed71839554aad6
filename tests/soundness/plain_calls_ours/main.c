// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4a-39, 4b-23: plain code calls our functions by name, on its threads, and returns what they return.
//
// steps: CC -c main.c; CLANG -c plain.c; LINK main.o plain.o
#include "../soundness.h"

void start(void);
int *make(void);
void change(int **place);

int *make(void) {
  int *p = malloc(sizeof *p); // not-local
  *p = 1;
  return p;
}
void change(int **place) {
  int *p = malloc(sizeof *p); // not-local
  *p = 2;
  *place = p;
}

int main(void) {
  start();
  return 0;
}
