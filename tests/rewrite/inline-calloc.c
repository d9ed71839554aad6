// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// calloc of a constant size: a popped block is cleared, the slow path clears its own.
// RUN: mkdir -p %t && %S/Inputs/compile %clang %plugin -- -O2 %s -o %t/a.o
// RUN: %S/Inputs/link %clang %plugin %models %t/a force-local=inline-calloc.c:13 -- -O2 %t/a.o
// RUN: FileCheck %s < %t/a.ll
// CHECK: icmp eq ptr %[[B:.*]], null
// CHECK: %[[N:.*]] = load ptr, ptr %[[B]]
// CHECK: call void @llvm.memset{{.*}}(ptr align 16 %[[B]], i8 0, i64 48
// CHECK: call {{.*}}@fh_tls_calloc(i64 {{.*}}3, i64 {{.*}}16)
#include <stdlib.h>
char *volatile Sink;
int main(void) {
  char *p = calloc(3, 16);
  Sink = p;
  free(p);
  return 0;
}
