// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two allocations in the arms of an if stay two calls, so that each gets its own verdict.
// RUN: mkdir -p %t && %S/Inputs/compile %clang %plugin -- -O2 %s -o %t/a.o
// RUN: %S/Inputs/link %clang %plugin %models %t/a force-local=arms.c:17 -- -O2 %t/a.o
// RUN: FileCheck %s < %t/a.ll
// CHECK-LABEL: define {{.*}}@main
// CHECK-NOT: fh_site
// CHECK-DAG: call {{.*}}@fh_tls_malloc(i64 {{.*}}%
// CHECK-DAG: call {{.*}}@malloc(i64 {{.*}}%
// CHECK-LABEL: declare
// CHECK-NOT: fh_site
#include <stdlib.h>
char *volatile Sink;
int main(int argc, char **argv) {
  char *p;
  if (argc & 1)
    p = malloc(argc * 10L);
  else
    p = malloc(argc * 10L);
  Sink = p;
  free(p);
  return 0;
}
