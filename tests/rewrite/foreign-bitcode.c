// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bitcode without a summary in the link: what it may call is visible to it, what it defines is external.
// RUN: mkdir -p %t && %S/Inputs/compile %clang %plugin -- -O2 %s -o %t/a.o
// RUN: %clang -O2 -flto -funified-lto -fno-split-lto-unit -DFOREIGN -c %s -o %t/foreign.bc
// RUN: %S/Inputs/link %clang %plugin %models %t/a -- -O2 %t/a.o %t/foreign.bc
// RUN: FileCheck %s < %t/a.json
// RUN: %S/Inputs/compile %clang %plugin -- -O2 -DFOREIGN %s -o %t/b.o
// RUN: %S/Inputs/link %clang %plugin %models %t/ours -- -O2 %t/a.o %t/b.o
// RUN: FileCheck --check-prefix=OURS %s < %t/ours.json
// CHECK: "local": 0
// OURS: "local": 1
#include <stdlib.h>
void use(char *p);
#ifdef FOREIGN
__attribute__((noinline)) void use(char *p) { p[0] = 1; }
#else
int main(int argc, char **argv) {
  char *p = malloc(argc);
  use(p);
  free(p);
  return 0;
}
#endif
