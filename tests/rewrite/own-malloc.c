// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that defines malloc and free itself keeps them: nothing is rewritten.
// RUN: mkdir -p %t && %S/Inputs/compile %clang %plugin -- -O2 %s -o %t/a.o
// RUN: %S/Inputs/compile %clang %plugin -- -O2 -DOWN %s -o %t/b.o
// RUN: %S/Inputs/link %clang %plugin %models %t/a force-local=own-malloc.c:24 -- -O2 %t/a.o %t/b.o
// RUN: FileCheck %s < %t/a.ll
// CHECK-NOT: fh_
// CHECK-LABEL: define {{.*}}@main
// CHECK-NOT: fh_
#include <stddef.h>
void *malloc(size_t);
void free(void *);
#ifdef OWN
static char Arena[1 << 20];
static size_t Used;
void *malloc(size_t n) {
  Used += (n + 15) & ~15ul;
  return Arena + Used;
}
void free(void *p) {}
#else
char *volatile Sink;
int main(int argc, char **argv) {
  char *p = malloc(16);
  Sink = p;
  free(p);
  return 0;
}
#endif
