// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes known at run time only, sizes above the classes, realloc and strdup call the local heap out of line.
// RUN: mkdir -p %t && %S/Inputs/compile %clang %plugin -- -O2 %s -o %t/a.o
// RUN: %S/Inputs/link %clang %plugin %models %t/a force-local=out-of-line.c:16 force-local=out-of-line.c:17 \
// RUN:   force-local=out-of-line.c:18 force-local=out-of-line.c:19 -- -O2 %t/a.o
// RUN: FileCheck %s < %t/a.ll
// CHECK-NOT: fh_heads
// CHECK: call {{.*}}@fh_tls_malloc(
// CHECK: call {{.*}}@fh_tls_malloc(i64 {{.*}}32769)
// CHECK: call {{.*}}@fh_tls_realloc(
// CHECK: call {{.*}}@fh_tls_strdup(
#include <stdlib.h>
#include <string.h>
char *volatile Sink;
int main(int argc, char **argv) {
  char *p = malloc(argc);
  char *q = malloc(32769);
  p = realloc(p, argc + 1);
  char *s = strdup(argv[0]);
  Sink = p, Sink = q, Sink = s;
  return 0;
}
