// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module whose summary cannot be read counts as external; the link goes on and says so.
// RUN: mkdir -p %t && %S/Inputs/with-config mode=compile -- %clang -g -O2 -flto -funified-lto -fno-split-lto-unit -fpass-plugin=%plugin -c %s -o %t/a.bc
// RUN: llvm-dis %t/a.bc -o - | sed 's/fh-summary 2/fh-summary 9/' | llvm-as -o %t/bad.bc
// RUN: %S/Inputs/link %clang %plugin %models %t/a -- -O2 %t/bad.bc
// RUN: FileCheck %s < %t/a.mark
// RUN: FileCheck --check-prefix=CODE %s < %t/a.ll
// CHECK: modules=0
// CHECK-NEXT: summaries-bad=1
// CHECK-NEXT: sites=0
// CHECK: warning=a summary cannot be read
// CODE-NOT: fh_
// CODE: call {{.*}}@malloc(
// CODE-NOT: fh_
#include <stdlib.h>
char *volatile Sink;
int main(void) {
  char *p = malloc(16);
  Sink = p;
  free(p);
  return 0;
}
