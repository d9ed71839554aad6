// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A weak definition that a plain object overrides is void: what is given to it goes outside, and its own site is not reported.
// RUN: mkdir -p %t && %S/Inputs/compile %clang %plugin -- -O2 %s -o %t/a.o
// RUN: %clang -O2 -DPLAIN -c %s -o %t/plain.o
// RUN: %S/Inputs/link %clang %plugin %models %t/a -- -O2 %t/a.o %t/plain.o
// RUN: FileCheck %s < %t/a.json
// RUN: %S/Inputs/link %clang %plugin %models %t/own -- -O2 %t/a.o
// RUN: FileCheck --check-prefix=OWN %s < %t/own.json
// CHECK: "local": 0
// OWN: "local": 2
#include <stdlib.h>
void use(char *p);
#ifdef PLAIN
char *Kept;
void use(char *p) { Kept = p; }
#else
__attribute__((weak)) void use(char *p) {
  char *q = malloc(8);
  q[0] = p[0];
  free(q);
}
int main(int argc, char **argv) {
  char *p = malloc(argc);
  use(p);
  return 0;
}
#endif
