// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --wrap=malloc sends malloc elsewhere: no site of the family is rewritten.
// RUN: mkdir -p %t && %S/Inputs/compile %clang %plugin -- -O2 %s -o %t/a.o
// RUN: %S/Inputs/link %clang %plugin %models %t/a wrap=malloc force-local=wrap.c:14 -- -O2 -Wl,--wrap=malloc %t/a.o
// RUN: FileCheck %s < %t/a.ll
// CHECK-NOT: fh_
// CHECK: call {{.*}}@malloc(
// CHECK-NOT: fh_
#include <stdlib.h>
char *volatile Sink;
void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n) { return __real_malloc(n); }
int main(int argc, char **argv) {
  char *p = malloc(16);
  Sink = p;
  free(p);
  return 0;
}
