// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the analysis cannot run the module is restored, and report and mark say why.
// RUN: mkdir -p %t && %S/Inputs/compile %clang %plugin -- -O2 %s -o %t/a.o
// RUN: %S/Inputs/link %clang %plugin %t/no-such-models %t/a -- -O2 %t/a.o
// RUN: FileCheck %s < %t/a.mark
// RUN: FileCheck --check-prefix=REPORT %s < %t/a.json
// RUN: FileCheck --check-prefix=CODE %s < %t/a.ll
// CHECK: aside=the models cannot be read
// REPORT: "text": "the models cannot be read
// REPORT: "sites": []
// CODE-NOT: fh_
// CODE: call {{.*}}@malloc(
#include <stdlib.h>
char *volatile Sink;
int main(void) {
  char *p = malloc(16);
  Sink = p;
  free(p);
  return 0;
}
