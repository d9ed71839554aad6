// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An allocation call whose id was lost stays shared, and is counted.
// RUN: mkdir -p %t && %S/Inputs/with-config mode=compile -- %clang -g -O2 -flto -funified-lto -fno-split-lto-unit -fpass-plugin=%plugin -c %s -o %t/a.bc
// RUN: llvm-dis %t/a.bc -o - | sed 's/"fh-site"="[0-9a-f]*"//' | llvm-as -o %t/lost.bc
// RUN: %S/Inputs/link %clang %plugin %models %t/a force-local=without-id.c:16 -- -O2 %t/lost.bc
// RUN: FileCheck %s < %t/a.ll
// RUN: FileCheck --check-prefix=MARK %s < %t/a.mark
// RUN: FileCheck --check-prefix=REPORT %s < %t/a.json
// CHECK: call {{.*}}@malloc(
// MARK: ids-lost=1
// MARK: warning={{.*}}FH209
// REPORT: FH209
#include <stdlib.h>
char *volatile Sink;
int main(void) {
  char *p = malloc(16);
  Sink = p;
  free(p);
  return 0;
}
