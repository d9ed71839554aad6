// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An inline function in two files is one site, and both copies of its call are rewritten.
// RUN: mkdir -p %t && %S/Inputs/compile %clang++ %plugin -- -O2 -I%S/Inputs %s -o %t/a.o
// RUN: %S/Inputs/compile %clang++ %plugin -- -O2 -I%S/Inputs -DOTHER %s -o %t/b.o
// RUN: %S/Inputs/link %clang++ %plugin %models %t/a force-local=inline-function.h:5 -- -O2 %t/a.o %t/b.o
// RUN: FileCheck --check-prefix=MARK %s < %t/a.mark
// RUN: FileCheck %s < %t/a.ll
// MARK: modules=2
// MARK: sites=1
// MARK: ids-lost=0
// MARK: rewritten=1
// CHECK-NOT: call {{.*}}@malloc(
#include "inline-function.h"
void other(long n);
#ifdef OTHER
void other(long n) { work(n); }
#else
int main(int argc, char **) {
  other(argc);
  work(argc);
}
#endif
