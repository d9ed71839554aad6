// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checklist 4b-26: -fno-builtin, because strdup is not the C library's: another object's keeps what it gives.
//
// flags: -fno-builtin
// steps: CC -c main.c; CLANG -c plain.c; LINK main.o plain.o
#include "../soundness.h"

void use_kept(void);

int main(void) {
  char *copy = strdup("a");           // not-rewritten
  char *given = malloc(10);           // not-local
  char *own = malloc(10);             // local
  char *made = reallocarray(0, 2, 5); // local
  strcpy(own, "b");
  strcpy(given, "c");
  strndup(given, 1);
  use_kept();
  EXPECT(copy[0] == 'b' && given[0] == 'd' && own[0] == 'b');
  free(copy);
  free(given);
  free(own);
  free(made);
  return 0;
}
