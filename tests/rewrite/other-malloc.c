// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the wrapper says that malloc is not ours local sites stay calls of malloc.
// RUN: mkdir -p %t && %S/Inputs/compile %clang %plugin -- -O2 %s -o %t/a.o
// RUN: %S/Inputs/link %clang %plugin %models %t/a malloc=other force-local=other-malloc.c:16 -- -O2 %t/a.o
// RUN: FileCheck %s < %t/a.ll
// RUN: FileCheck --check-prefix=MARK %s < %t/a.mark
// RUN: FileCheck --check-prefix=REPORT %s < %t/a.json
// CHECK-NOT: fh_
// CHECK: call {{.*}}@malloc(
// MARK: rewritten=0
// MARK-NOT: warning=
// REPORT: "text": "local sites are not rewritten where
#include <stdlib.h>
char *volatile Sink;
int main(void) {
  char *p = malloc(16);
  Sink = p;
  free(p);
  return 0;
}
