// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A local allocation of constant size in an executable: pop of a thread-local list at a constant place, one test, cold slow path.
// RUN: mkdir -p %t && %S/Inputs/compile %clang %plugin -- -O2 %s -o %t/a.o
// RUN: %S/Inputs/link %clang %plugin %models %t/a force-local=inline-executable.c:27 -- -O2 %t/a.o
// RUN: FileCheck %s < %t/a.ll
// CHECK: @fh_heads = external dso_local thread_local(localexec) global [85 x ptr]
// CHECK: @fh_layout_reference = internal constant ptr @fh_layout_3
// CHECK: @llvm.used = {{.*}}@fh_layout_reference
// CHECK: %[[A:.*]] = call ptr @llvm.threadlocal.address.p0(ptr @fh_heads)
// CHECK-NEXT: %[[H:.*]] = getelementptr inbounds ptr, ptr %[[A]], i64 3
// CHECK-NEXT: %[[B:.*]] = load ptr, ptr %[[H]]
// CHECK-NEXT: %[[E:.*]] = icmp eq ptr %[[B]], null
// CHECK-NEXT: br i1 %[[E]], label %[[SLOW:.*]], label %[[POP:[0-9]+]], {{.*}}!prof ![[W:[0-9]+]]
// CHECK: [[POP]]:
// CHECK: %[[A2:.*]] = call ptr @llvm.threadlocal.address.p0(ptr @fh_heads)
// CHECK: %[[H2:.*]] = getelementptr inbounds ptr, ptr %[[A2]], i64 3
// CHECK: %[[N:.*]] = load ptr, ptr %[[B]]
// CHECK-NEXT: store ptr %[[N]], ptr %[[H2]]
// CHECK: [[SLOW]]:
// CHECK-NEXT: %[[S:.*]] = call ptr @fh_tls_malloc_class(i32 2) #[[C:[0-9]+]]
// CHECK: phi ptr [ %[[B]], %[[POP]] ], [ %[[S]], %[[SLOW]] ]
// CHECK: attributes #[[C]] = { cold nounwind
// CHECK: ![[W]] = !{!"branch_weights", i32 1, i32 2000}
#include <stdlib.h>
char *volatile Sink;
int main(void) {
  char *p = malloc(33);
  Sink = p;
  free(p);
  return 0;
}
