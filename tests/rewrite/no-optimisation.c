// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// At -O0 the steps run too, on optnone functions as well: renamed, rewritten, inlined.
// RUN: mkdir -p %t && %S/Inputs/compile %clang %plugin -- -O0 %s -o %t/a.o
// RUN: %S/Inputs/link %clang %plugin %models %t/a force-local=no-optimisation.c:14 -- -O0 %t/a.o
// RUN: FileCheck %s < %t/a.ll
// RUN: FileCheck --check-prefix=MARK %s < %t/a.mark
// CHECK-LABEL: define {{.*}}@main
// CHECK: call ptr @llvm.threadlocal.address.p0(ptr @fh_heads)
// CHECK: call ptr @fh_tls_malloc_class(i32 1)
// MARK: ids-lost=0
// MARK: rewritten=1
#include <stdlib.h>
int main(void) {
  char *p = malloc(20);
  free(p);
  return 0;
}
