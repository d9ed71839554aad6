// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stand-in tells its size as malloc does: __builtin_object_size folds.
// RUN: mkdir -p %t && %S/Inputs/compile %clang %plugin -- -O2 %s -o %t/a.o
// RUN: %S/Inputs/link %clang %plugin %models %t/a force-local=object-size.c:9 -- -O2 %t/a.o
// RUN: FileCheck %s < %t/a.ll
// CHECK: ret i32 24
#include <stdlib.h>
static long size(void) {
  char *p = malloc(24);
  long n = __builtin_object_size(p, 0);
  free(p);
  return n;
}
int main(void) { return (int)size(); }
